"""The command line: one thin function a command, and what a person sees.

Read `app.py` first: it has all commands and says how the program fails. Commands that belong
together have a file (`asking.py`, `inspecting.py`, `finding.py`, `playing.py`, `reproducing.py`).
`output.py` is how answers look, to people and as JSON; `progress.py` how a build reports;
`probing.py`, `statistics.py` and `files.py` gather what probe, stats and list print.

May import everything below; nothing imports it.
"""
