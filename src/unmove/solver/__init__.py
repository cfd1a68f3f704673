"""Working endgames out: the loop of retrograde analysis, and the order of work around it.

Read `loop.py` first, then `backend.py`: what the loop needs of a layout, for planes of king by king
(`kings.py`) and of court by court (`courts.py`). `subtable_values.py` says what conversions into
solved endgames bring, as sets of captures (`capture_values.py`) or as the best conversion of each
cell (`conversion_values.py`). `ply_log.py` is the log of all plies, `partial_table.py` a table some
parts of which are solved. `plan.py` lists the tables a build makes, `estimate.py` what they take,
and `build.py` makes them.
"""
