"""One ply of retrograde analysis over a range of planes.

Read `settle.py` first. `sources.py` lists the planes that a side's men can move into, `pull.py`
collects them, `captures.py` does the same for captures.
"""
