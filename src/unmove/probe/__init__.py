"""Asking tables: a position's value, its moves ranked, the line of best play.

Read `tablebase.py` first. `board.py` decides which boards can be asked at all.

May import: store, kernels, planes, games, material, values, errors.
"""
