"""What the founding papers printed, beside what we get.

A *figure* (`figures.py`, read it first) is one published number, ours, and a verdict. A paper is a
function that yields its figures, given a *desk* (`desk.py`): the folder of tables, and how many men
it may take. `nalimov.py`, `wu_beal.py` and `notes.py` (Thompson, Wendroff et al., Zellner, the
KBBKN statistics) are the papers, `catalogue.py` lists them and what tables they want, `report.py`
writes Markdown. The published numbers, and the known reasons where ours differ, are in `data/`,
with their sources.

May import: everything but cli.
"""
