"""Tables on disk.

Read `format.py` first (constants and the header), then `source.py` (how all rooms read solved
values), `table.py` (a table in memory), `reader.py` and `writer.py`, `encoder.py` (what of a solved
table is stored) and `folder.py` (where tables live). `codec/` codes the planes. `summary.py` holds
the statistics, `digest.py` the digest of all values, `kept_planes.py` planes that are read again.
`atomic.py` publishes a file only when it is complete, `log_file.py` keeps the log of a solve, from
which a later run goes on.
"""
