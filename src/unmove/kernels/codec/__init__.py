"""The codec of a plane: contexts, entropy coding and learning.

Read `contexts.py` first: a tree of questions about a cell's neighbourhood. `features.py` answers
those about the position, from the `facts.py` known of a plane; `scratch.py` is where both stand
while a plane is coded. `rans.py` codes the symbols, `growth.py` learns the tree, `cells.py`
converts between the cells of files and of memory.
"""
