"""What people do with solved endgames: statistics, records, and playing against perfect play.

`histogram.py` counts positions by distance and `plots.py` draws it; `judging.py` tells only moves
from others; `records.py` plays and annotates the longest wins; `playing.py` is a game against
perfect play. Read `judging.py` first.

May import everything below the command line; nothing but that imports it.
"""
