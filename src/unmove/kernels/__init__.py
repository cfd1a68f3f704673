"""The compiled inner loops, and the only room that imports numba.

A kernel works on a range of planes that its caller owns. Whatever two threads might both write is
private to each.

- `arrays.py` has a type for each kind of array: numbers of a palette, ranks, scores, codes, sets.
- `solve/` settles positions: one ply of retrograde analysis.
- `sets.py` has sets of positions and what a ply reads and writes, `stretch.py` what it settles,
  packed, `pieces.py` the same for the log on the disk.
- `successors.py` scores the moves of a plane into solved tables, `scores.py` turns scores into
  sets.
- `codec/` codes the planes of a file.
- `proof/` generates moves position by position, for the proof and for probes.
- `courts/` has the counterparts for planes of court by court.
- `legality.py` marks the legal cells of a plane, `locate.py` finds the cells of positions,
  `children.py` the positions that moves lead to, `fold.py` the planes that a file stores.
- `jit.py` compiles, `cache.py` names the folder of compiled code, `watch.py` reports compilation,
  `intrinsics.py` adds instructions that Numba lacks, `bits.py` makes sets of squares, `scratch.py`
  holds the memory of a thread.
"""
