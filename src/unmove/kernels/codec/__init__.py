"""The codec of a plane: contexts, entropy coding and learning.

Read `ranks.py` first: the numberings of a cell's value. `contexts.py` walks from a cell's
neighbours to its context, through the tree of `tree.py`. `features.py` answers the questions about
the position, from the `facts.py` of a plane. `scratch.py` is the work space in which a plane is
coded. `rans.py` codes the symbols by what `coders.py` builds (for a file that is opened,
`loading.py`), `growth.py` learns the tree, and `cells.py` converts between the cells of files and
of memory.
"""
