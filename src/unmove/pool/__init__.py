"""Threads, the memory they work in, and what the machine has.

`workers.py` shares ranges of planes between threads, `arena.py` lends them memory, `mapped.py`
memory in files where there is too little, `machine.py` tells the cores and the free memory.
"""
