"""Wheels and source archives carry the built page of the explorer: installing needs no node.

Where node is, a page that is not that of the sources is built first. Without node a page that is
there is taken as it is; if there is none, the program is installed without it, and its server says
that the page is not built. An editable install leaves the page to `make page`.
"""

from __future__ import annotations

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the page before the files of a target are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """The page is there, or a warning says why not."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from tools import page

        try:
            page.build()
        except page.PageNotBuilt as error:
            state = "is not that of the sources" if page.DIGEST.is_file() else "is left out"
            self.app.display_warning(f"The page of the explorer {state}: {error}")
