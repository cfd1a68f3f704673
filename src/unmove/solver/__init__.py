"""Solves endgames: the loop of retrograde analysis, and the order of work around it.

Read `loop.py` first. `ply.py` settles one ply of it, `entry_room.py` says where workers put what
they settle, `late_moves.py` has the 50-move rule.
`ply_log.py` says what a log of plies is: `memory_log.py` has it in memory, `disk_log.py` on the
disk. `partial_table.py` is a table some parts of which are solved, `disk_table.py` one whose parts
are on the disk; `assembly.py` says where their planes stand. `backend.py` says what the loop needs
of a layout, `kings.py` has it for planes of king by king and `courts.py` for planes of court by
court. `subtable_values.py` says when conversions into solved endgames arrive: `capture_values.py`
keeps them as sets of captures, `conversion_values.py` as the best conversion of each cell.
Of a table that is cut, `cutting.py` says where; `part_table.py` is one of its parts, which is told
of the others by `exchange.py` and agrees with them in `neighbours.py`; `keeper.py` has its log.
`plan.py` lists the tables a build makes, `estimate.py` what they take, and `build.py` makes them,
in the order of `schedule.py`. `keeping.py` says which planes stay in memory for later tables.
"""
