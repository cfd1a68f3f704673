"""What a game is: its facts and move tables as data, never as callbacks.

Read `chess.py` first, then `xiangqi.py`. `rules.py` says what a probe needs of a game;
`chess_rules.py` implements it for boards of python-chess, `xiangqi_rules.py` for ours
(`xiangqi_board.py`, with the notation of `xiangqi_notation.py`). `boards.py` finds the rules of a
board.
`chess_notation.py` writes all moves of a position, `fens.py` many positions as FENs; `epd.py` reads
them from EPD.
"""
