"""What people see: tables, sentences, bars.

`positions.py` shows a position and its moves, `syzygy.py` does so by Syzygy files, `game.py` shows
a game against perfect play, `statistics.py` counts and longest wins, `zugzwangs.py` counts of
mutual zugzwangs, `files.py` the files of tables, `building.py` a build at work, `cluster.py` one
over a cluster, `exporting.py` Syzygy files being written, `comparing.py` tables beside other
programs' files, `figures.py` published figures beside
ours.
"""
