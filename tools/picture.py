"""Draw the README's picture: what `unmove probe` shows. `python -m tools.picture TABLES`."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console

from unmove.cli.views.positions import show_position
from unmove.probe.tablebase import Tablebase

FEN = "8/k1P5/2K5/8/8/8/8/8 w - - 0 1"
PICTURE = Path(__file__).parent.parent / "docs" / "images" / "probe.svg"


def drawn(tables: Tablebase) -> str:
    """The picture as SVG, without the fonts that it would load from elsewhere."""
    console = Console(record=True, width=104, file=io.StringIO())
    show_position(tables, FEN, console)
    svg = console.export_svg(title=f"unmove probe '{FEN}'")
    return re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)


def main() -> None:
    """The picture is drawn anew from the tables in the folder named."""
    with Tablebase(sys.argv[1]) as tables:
        PICTURE.write_text(drawn(tables), encoding="utf-8")


if __name__ == "__main__":
    main()
