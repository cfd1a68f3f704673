"""Files that other programs read: `columnar.py` writes Parquet, NumPy's npz and CSV.

What the columns are is decided by whoever asks; nothing here knows a table.
"""
