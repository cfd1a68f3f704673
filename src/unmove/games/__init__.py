"""What a game is: its facts and move tables as data, never as callbacks.

Read `chess.py` first, then `xiangqi.py`. `rules.py` says what a probe asks of a game;
`chess_rules.py` answers for python-chess's boards, `xiangqi_rules.py` for ours (`xiangqi_board.py`,
with the notation of `xiangqi_notation.py`), and `boards.py` knows which answers for which board.
`fens.py` writes many positions as FENs, `epd.py` reads them from EPD.
"""
