"""What people do with solved endgames: statistics and records, finding positions, playing.

`histogram.py` counts positions by distance and `plots.py` draws it; `judging.py` tells only moves
from others; `records.py` plays and annotates the longest wins; `playing.py` is a game against
perfect play. `scan.py` walks a whole table, `query.py` reads what is asked of it, `find.py` puts
both together and `reasons.py` tells why it finds nothing, `zugzwang.py` counts and lists mutual
zugzwangs, `choices.py` counts what the moves of positions keep, `notes.py` writes positions down,
`dataset.py` makes them rows of a file, `comparing.py` holds values against other programs' files.
Read `judging.py` and `scan.py` first.
"""
