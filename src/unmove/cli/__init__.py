"""The command line: one thin function a command, and what a person sees.

Read `app.py` first. `output.py` is how answers look, to people and as JSON; `progress.py` how a
build reports; `probing.py` and `statistics.py` gather what probe and stats print; `playing.py` is a
game at the terminal.

May import everything below; nothing imports it.
"""
