"""The command line: one thin function a command, and what a person sees.

Read `app.py` first: it has all commands and says how the program ends. `commands/` holds the
commands, `views/` what they show to people; machines get the records of `api` as JSON. `options.py`
has the options that commands share, `output.py` how numbers, tables and JSON look, `failures.py`
exit codes and advice.
"""
