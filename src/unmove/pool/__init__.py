"""Threads, the memory they work in, and what the machine has.

`workers.py` shares ranges of planes between threads, `arena.py` lends them memory, `machine.py`
tells the cores and the free memory.
"""
