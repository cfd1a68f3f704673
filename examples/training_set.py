"""A training set: positions and their values in Parquet, read by polars, and a first model.

`unmove export` writes a sample of an endgame. Polars reads it back and splits it. A linear model on
the squares of the men then guesses who wins: whatever you train has to beat it.

    unmove build KPvK
    python examples/training_set.py KPvK kpk.parquet
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars
from numpy.typing import NDArray

SQUARES = 64


def export(material: str, output: Path, rows: int, folder: str | None) -> None:
    """The file has so many positions of the endgame, by DTM and DTZ."""
    command = [sys.executable, "-m", "unmove", "export", material, "--output", str(output)]
    command += ["--metric", "dtm", "--metric", "dtz", "--sample", str(rows), "--seed", "1"]
    command += ["--dir", folder] if folder else []
    done = subprocess.run(command)
    if done.returncode:
        sys.exit(done.returncode)


def features(table: polars.DataFrame) -> NDArray[np.float64]:
    """A row of zeros and ones for each position: who stands where, and who is to move."""
    men = [name for name in table.columns if name[0] in "wb"]
    ones = [np.eye(SQUARES)[table[name].to_numpy()] for name in men]
    return np.hstack([*ones, table["turn"].to_numpy()[:, None], np.ones((len(table), 1))])


def decided(table: polars.DataFrame) -> NDArray[np.bool_]:
    """Which positions have a winner."""
    return np.asarray(table["outcome"].to_numpy() != 0)


def accuracy(train: polars.DataFrame, test: polars.DataFrame) -> float:
    """How often a linear model tells rightly whether the game has a winner."""
    weights, *_ = np.linalg.lstsq(features(train), 2.0 * decided(train) - 1, rcond=None)
    return float(np.mean((features(test) @ weights > 0) == decided(test)))


def main() -> None:
    """The training set is written, read, split, and tried."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("material", help="a chess endgame, such as KPvK")
    parser.add_argument("output", type=Path, help="the Parquet file to write")
    parser.add_argument("--rows", type=int, default=20_000, help="how many positions")
    parser.add_argument("--dir", help="the folder of the tables")
    asked = parser.parse_args()
    export(asked.material, asked.output, asked.rows, asked.dir)

    about = json.loads(polars.read_parquet_metadata(asked.output)["unmove"])
    print(f"{about['material']} by {' and '.join(about['metrics'])}: {about['convention']}")
    table = polars.read_parquet(asked.output).sample(fraction=1, shuffle=True, seed=1)
    print(table.group_by("outcome").agg(polars.len(), polars.col("dtm").mean()).sort("outcome"))
    held_out = len(table) // 5
    test, train = table[:held_out], table[held_out:]
    share = float(np.mean(decided(test)))
    print(f"{len(train):,} positions to train on, {len(test):,} held out")
    print(f"the commoner answer is right {max(share, 1 - share):.1%} of the time")
    print(f"a linear model is right {accuracy(train, test):.1%} of the time")


if __name__ == "__main__":
    main()
