"""What a game is: its facts and move tables as data, never as callbacks.

May import: material, game, values, errors. Read `chess.py` first, then `xiangqi.py`. Boards and
notation of chess are python-chess's; those of xiangqi are here (`xiangqi_board.py`,
`xiangqi_notation.py`), and so are the counts of the paper its tables are compared with
(`xiangqi_counts.py`). `epd.py` reads positions of either game from EPD.
"""
