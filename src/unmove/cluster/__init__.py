"""Builds on many machines, over Ray, and the only room that imports it.

Read `driver.py` first: it sends the jobs of a plan as tasks, the most urgent chain first, and
collects their tables. `messages.py` says what a task is sent and what it answers, `worker.py` does
it on a node. `demand.py` says how urgent a job is, and which cores and memory its task is given.
`parts_run.py` makes a table that is cut, whose keeper is in `keeping.py`.
`planning.py` foretells what such a table takes, by numbers of planes from `counting.py`.
`node_folder.py` is what a node keeps of tables, `parcels.py` how their files travel. `engine.py`
starts Ray or joins it, and is the only file that imports it.
"""
