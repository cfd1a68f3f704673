"""Files that other programs read: `columnar.py` writes Parquet, NumPy's npz and CSV.

The caller decides on the columns; nothing in it knows a table. `syzygy` reads and writes the files
of Syzygy. `opening.py` opens our tables with such files beside them.
"""
