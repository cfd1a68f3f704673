"""The command line: one thin function a command, and what a person sees.

Read `app.py` first: it has all commands and says how the program fails. Commands that belong
together have a file: `asking.py` (probe, line, play), `inspecting.py` (list, info, check),
`finding.py` (find, zugzwangs), `exporting.py`, `reproducing.py` and `warming.py`. What they do and
print is in `probing.py`, `playing.py`, `files.py`, `statistics.py`, `proving.py` and `papers.py`;
`progress.py` is how a build reports. `options.py` has the options that commands share, `output.py`
how answers look, to people and as JSON.
"""
