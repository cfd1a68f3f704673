"""The HTTP service: questions of clients and browsers, answered by the tables of a folder.

Read `app.py` first: which path is answered by which function. `asking.py` answers for positions,
`looking.py` for endgames and their positions. `library.py` holds the tables and a cache of answers;
`question.py` reads parameters, `answering.py` makes a response of a task, `representing.py` JSON or
CBOR of an answer, `failing.py` a status and a sentence of an error, `picture.py` an SVG.
`guarding.py` is what a public server needs around that: limits, headers, a log. `counting.py` has
the numbers for monitoring and `watching.py` tells them. `describing.py` is the description of the
API, `running.py` the server.

Nothing here changes anything: every question is a GET, or a POST of many positions.
"""
