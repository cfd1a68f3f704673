"""Threads, and the memory they work in.

`crew.py` shares ranges of planes between workers, `arena.py` lends them memory.

May import: kernels, planes, games, material, values, errors.
"""
