"""The commands: each reads its options, asks `api` or a room below it, and shows the answer.

`building.py` has build, `asking.py` probe, line and play, `comparing.py` compare, `counting.py`
stats, `finding.py` find and zugzwangs, `exporting.py` export, `inspecting.py` list, info and check,
`playing.py` uci, `proving.py` verify, `recoding.py` recode, `reproducing.py` reproduce,
`serving.py` serve and `warming.py` warm. Commands import what they need when they run, so that help
and version come without NumPy and Numba.
"""
