"""What a game is: its facts and move tables as data, never as callbacks.

May import: material, values, errors. Read `chess.py` first.
"""
