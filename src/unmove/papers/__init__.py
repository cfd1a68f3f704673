"""Published figures of the founding papers, compared with ours.

A *figure* (`figures.py`, read it first) is one published number, ours, and their comparison. A
paper is a function that yields its figures, given a context (`context.py`): the folder of tables,
and the most men of an endgame that is solved for it. The papers are `nalimov.py`, `wu_beal.py` and
`notes.py` (Thompson, Wendroff et al., Zellner, the KBBKN statistics). `wu_beal_loop.py` is the loop
of Wu and Beal as it was printed, `xiangqi_counts.py` counts the positions of their endgames.
`catalogue.py` lists the papers and the tables they need, `report.py` writes Markdown. The published
numbers, and the known reasons where ours differ, are in `data/`, with their sources; `published.py`
reads them.
"""
