"""The options of the engine. GUIs and bots set some of them without asking; all are declared.

An option has a name in UCI, a name in UCCI, or both. Names are read in any case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from unmove.errors import BadOption, quoted
from unmove.values import Metric

EMPTY: Final = "<empty>"
"""How UCI writes a text without characters."""
_YES: Final = ("true", "on", "yes", "1")
_NO: Final = ("false", "off", "no", "0")
_UCI: Final = re.compile(r"name\s+(.+?)(?:\s+value(?:\s+(.*))?)?", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Option:
    """A name in each protocol (empty: the protocol does not have it), and what may be set."""

    uci: str
    ucci: str
    kind: str
    """`check`, `spin`, `combo`, `string` or `button`, as in UCI."""
    default: str = ""
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What the program calls it."""
        return self.uci or self.ucci

    def declared(self, named: str, value: str) -> str:
        """The line that declares it, from its beginning, with this value as its default."""
        line = f"{named} type {self.kind}"
        if self.kind != "button":
            line += f" default {value or EMPTY}"
        if self.kind == "spin":
            line += f" min {self.least} max {self.most}"
        return line + "".join(f" var {choice}" for choice in self.choices)

    def read(self, text: str) -> str:
        """The value of a text; BadOption if it has none."""
        plain = text.strip()
        match self.kind:
            case "check":
                if plain.lower() not in _YES + _NO:
                    raise BadOption(self.key, quoted(plain), "it is true or false")
                return str(plain.lower() in _YES).lower()
            case "spin":
                if not re.fullmatch(r"[0-9]{1,9}", plain) or not (
                    self.least <= int(plain) <= self.most
                ):
                    reason = f"it is a whole number from {self.least} to {self.most}"
                    raise BadOption(self.key, quoted(plain), reason)
                return str(int(plain))
            case "combo":
                if plain.lower() not in self.choices:
                    raise BadOption(
                        self.key, quoted(plain), f"it is one of {', '.join(self.choices)}"
                    )
                return plain.lower()
        return "" if plain == EMPTY else plain


OPTIONS: Final = (
    Option("TablesPath", "egtbpaths", "string"),
    Option("Metric", "metric", "combo", "dtm", choices=tuple(Metric)),
    Option("Syzygy50MoveRule", "", "check", "true"),
    Option("MultiPV", "", "spin", "1", 1, 500),
    Option("Hash", "hashsize", "spin", "256", 1, 1 << 20),
    Option("Threads", "threads", "spin", "1", 1, 1024),
    Option("Move Overhead", "", "spin", "10", 0, 5000),
    Option("Ponder", "ponder", "check", "false"),
    Option("SyzygyPath", "", "string"),
    Option("UCI_ShowWDL", "", "check", "false"),
    Option("UCI_AnalyseMode", "", "check", "false"),
    Option("UCI_Chess960", "", "check", "false"),
    Option("UCI_Variant", "", "combo", "chess", choices=("chess", "xiangqi")),
    Option("", "usemillisec", "check", "false"),
    Option("", "batch", "check", "false"),
    Option("", "newgame", "button"),
)
OF_TABLES: Final = ("TablesPath", "Hash", "Threads", "SyzygyPath")
"""The options whose change opens the tables anew."""


class Settings:
    """The values of all options."""

    def __init__(self, tables_path: str = "") -> None:
        self._values = {option.key: option.default for option in OPTIONS}
        self._values["TablesPath"] = tables_path

    def __getitem__(self, key: str) -> str:
        return self._values[key]

    def number(self, key: str) -> int:
        """The value of an option of kind `spin`."""
        return int(self._values[key])

    def on(self, key: str) -> bool:
        """The value of an option of kind `check`."""
        return self._values[key] == "true"

    def declared(self, protocol: str, beginning: str) -> list[str]:
        """The lines that declare the options of a protocol."""
        return [
            option.declared(beginning.format(name), self._values[option.key])
            for option in OPTIONS
            if (name := getattr(option, protocol))
        ]

    def set(self, protocol: str, text: str) -> Option:
        """What follows `setoption` is set; returns the option. BadOption if it cannot be."""
        name, value = _name_and_value(protocol, text)
        for option in OPTIONS:
            if name and getattr(option, protocol).lower() == name.lower():
                self._values[option.key] = option.read(value)
                return option
        raise BadOption("option", quoted(name), "there is no option of this name")


def _name_and_value(protocol: str, text: str) -> tuple[str, str]:
    """The two parts of `setoption`; UCCI writes them without the words `name` and `value`."""
    if protocol == "ucci":
        name, _, value = text.strip().partition(" ")
        return name, value
    match = _UCI.fullmatch(text.strip())
    return (match[1], match[2] or "") if match else ("", "")
