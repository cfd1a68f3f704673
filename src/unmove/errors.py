"""Every failure that unmove reports on purpose, as one tree.

    UnmoveError
    ├── AskerError            the asker's mistake
    │   ├── BadMaterial           a name that is no endgame
    │   ├── BadFen                a text that is no position
    │   ├── IllegalPosition       a position that breaks the rules
    │   ├── BadMove               a text that is no move of the position
    │   ├── CastlingRights        a position in which somebody may still castle
    │   ├── BadBoard              an object that is no board
    │   ├── VariantBoard          a board of another game than those we know
    │   ├── BadQuery              a text that is no query
    │   ├── BadOption             a parameter with an impossible value
    │   ├── NoSuchMetric          a distance that the game does not have
    │   ├── NoHome                a folder below a home that nobody knows
    │   └── NothingAsked          a question without its object
    ├── UnanswerableError     a fair question we cannot answer
    │   ├── MissingTable          the table is not built
    │   ├── MissingSyzygyFile     there is no such Syzygy file
    │   ├── NoOtherFiles          no file of another program's, where one is looked for
    │   ├── NoTables              a folder that is not there, or has nothing to ask
    │   └── TooManyMen            more men than this version solves
    ├── FileError             our file is wrong
    │   ├── UnreadableFile        the system does not let us read a file or a folder
    │   ├── ForeignFile           not a table of ours
    │   ├── StrayFile             a file among tables that no table is looked for under
    │   ├── NewerFormat           a table written by a newer version
    │   ├── OlderFormat           a table written by a version too old to be read
    │   └── DamagedFile           truncated, or a checksum fails
    └── WorkError             our work failed
        ├── MissingDependency     a smaller endgame is not there to build on
        ├── TableBusy             another run is at work on the same table
        ├── OutOfMemory           the run would not fit in memory
        ├── OutOfDisk             the run would not fit on disk, or did not
        ├── UnwritableFolder      the folder cannot be written
        ├── UnfinishedFile        there is no room for a file that was asked for
        ├── NoCluster             no cluster can be used where one is named
        ├── NodeFailed            a machine of a cluster cannot do its work
        ├── WorkersLost           the processes at a table were lost again and again
        ├── FixpointMismatch      a stored value differs from what its moves give
        ├── ValuesDiffer          a value differs from that of another program's file
        └── FiguresDiffer         a published figure differs from ours for no known reason

CastlingRights, VariantBoard and what is unanswerable are KeyErrors too, as in python-chess.

Each class carries the facts as fields. Its sentence says what happened, and what anybody can do
about it. A surface that knows better advice (which command to run, which option to give) puts its
own in place of `advice`, and decides what the failure means there: an exit code, a status.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

MOST_NAMED = 8  # tables that a message lists
LONGEST_QUOTE = 120  # characters; longer than any FEN, EPD comments left out


class UnmoveError(Exception):
    """The root of every failure reported on purpose.

    `fact` says what happened, `advice` what to do about it; neither ends with a full stop.
    """

    def __init__(self, fact: str, advice: str = "") -> None:
        self.fact = fact.removesuffix(".")
        self.advice = advice
        super().__init__(sentence(self.fact, advice))

    __str__ = Exception.__str__  # and not that of KeyError, which puts a sentence in quotes

    def __reduce__(self) -> tuple[Callable[..., Exception], tuple[object, ...], dict[str, object]]:
        """It is pickled by its fields, so that it comes out of a worker process as it went in."""
        return Exception.__new__, (type(self), *self.args), vars(self)


class AskerError(UnmoveError):
    """The question itself is wrong."""


class UnanswerableError(UnmoveError, KeyError):
    """The question is fair, and the answer is not here."""


class FileError(UnmoveError):
    """A table file cannot be trusted."""

    remedy = "delete it and build it again"
    """The advice about a file that is called a table; only its owner knows about any other."""

    def __init__(self, path: Path, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{path} {reason}", self.remedy if path.suffix == ".unmove" else "")


class WorkError(UnmoveError):
    """Work that was asked for could not be finished; what was finished before is intact."""


def sentence(fact: str, advice: str = "") -> str:
    """A fact and the advice on it; advice with a capital letter is a sentence of its own."""
    if not advice:
        return f"{fact}."
    return f"{fact}. {advice}." if advice[0].isupper() else f"{fact}; {advice}."


def shortened(text: str) -> str:
    """A text of the asker's, with its middle left out if it is long."""
    return text if len(text) <= LONGEST_QUOTE else f"{text[:60]} ... {text[-20:]}"


def quoted(text: str) -> str:
    """The same in quotes."""
    return repr(shortened(text))


class BadMaterial(AskerError):
    def __init__(
        self, name: str, reason: str, examples: Sequence[str] = ("KQvKR", "KBNvK")
    ) -> None:
        self.name = name
        self.reason = reason
        super().__init__(
            f"{quoted(name)} is no endgame: {reason}",
            f"Write one king and the other men of each side, such as {' or '.join(examples)}",
        )


class BadFen(AskerError):
    def __init__(
        self, fen: str, reason: str, example: str = "8/8/8/8/8/k7/1q6/K7 w - - 0 1"
    ) -> None:
        self.fen = fen
        self.reason = reason
        super().__init__(f"{quoted(fen)} is not a FEN: {reason}", f"A FEN looks like {example!r}")


class IllegalPosition(AskerError):
    def __init__(self, fen: str, reason: str) -> None:
        self.fen = fen
        self.reason = reason
        super().__init__(
            f"{quoted(fen)} cannot be reached in a game: {reason}",
            "Correct the position and ask again",
        )


class BadMove(AskerError):
    def __init__(self, text: str, reason: str, example: str) -> None:
        self.text = text
        self.reason = reason
        super().__init__(
            f"{quoted(text)} is no move here: {reason}",
            f"Write one in coordinates, such as {example}",
        )


class CastlingRights(AskerError, KeyError):
    def __init__(self, fen: str) -> None:
        self.fen = fen
        super().__init__(
            f"{quoted(fen)} has castling rights, which no table knows",
            "Ask again with '-' in their place",
        )


class BadBoard(AskerError):
    def __init__(self, board: object) -> None:
        self.board = board
        super().__init__(
            f"A board is expected, and this is a {type(board).__name__}",
            "Make a chess.Board or an unmove.games.xiangqi_board.Board of it, or hand FENs to "
            "probe_fens",
        )


class VariantBoard(AskerError, KeyError):
    def __init__(self, variant: str) -> None:
        self.variant = variant
        super().__init__(
            f"This is a board of {variant}, and the tables are those of orthodox chess",
            "Hand over a chess.Board",
        )


class BadQuery(AskerError):
    def __init__(self, text: str, place: int, reason: str) -> None:
        self.text = text
        self.place = place
        """Where the mistake is: characters before it."""
        self.reason = reason
        rest = text[place:].strip()
        where = f"is not understood at {quoted(rest)}" if rest else "ends too early"
        super().__init__(f"The query {quoted(text)} {where}: {reason}")


class BadOption(AskerError):
    def __init__(self, parameter: str, value: object, reason: str) -> None:
        self.parameter = parameter
        """Its name in the function that was called."""
        self.value = value
        self.reason = reason
        super().__init__(f"{parameter} {value} cannot be used: {reason}")


class NoSuchMetric(AskerError):
    def __init__(self, game: str, metric: str, metrics: Sequence[str]) -> None:
        self.game = game
        self.metric = metric
        super().__init__(
            f"There is no {metric} in {game}, which has no 50-move rule: "
            f"its distances are {' and '.join(metrics)}"
        )


class NoHome(AskerError):
    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(
            f"{path} is nowhere: the system knows no such home",
            "Name the folder of the tables by its full path",
        )


class NothingAsked(AskerError):
    pass


NOT_IN_TABLES = (UnanswerableError, CastlingRights, VariantBoard, NoSuchMetric)
"""What `get_x` takes for an answer that is not here: no table has, or will have, the position."""


class MissingTable(UnanswerableError):
    def __init__(
        self, material: str, metric: str, folder: Path, missing: Sequence[str] = ()
    ) -> None:
        self.material = material
        self.metric = metric
        self.folder = folder
        self.missing = tuple(missing) or (material,)
        """The tables that are not there: this one, or those it depends on, or both."""
        more = len(self.missing) - MOST_NAMED
        named = ", ".join(self.missing[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        what = "is" if self.missing == (material,) else f"needs {named}, which are"
        super().__init__(
            f"The {metric} table of {material} {what} not in {folder}", "build it first"
        )


class MissingSyzygyFile(UnanswerableError):
    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        super().__init__(
            f"The Syzygy file {name} is not in {folder}",
            "A probe needs the files of the endgame and of those that captures and promotions "
            "lead to",
        )


class NoOtherFiles(UnanswerableError):
    def __init__(self, source: str, folder: Path, reason: str) -> None:
        self.source = source
        self.folder = folder
        self.reason = reason
        super().__init__(
            f"There are no {source} files in {folder}: {reason}", "Name the folder that has them"
        )


class NoTables(UnanswerableError):
    def __init__(self, folder: Path, reason: str) -> None:
        self.folder = folder
        self.reason = reason
        super().__init__(
            f"There are no tables in {folder}: {reason}",
            "Name the folder that has them, or build some",
        )


class TooManyMen(UnanswerableError):
    def __init__(
        self, men: int, most: int, which: str = "men (kings included)", hint: str = ""
    ) -> None:
        self.men = men
        self.most = most
        super().__init__(
            f"{men} {which} are too many: this version solves endgames of up to {most}.{hint}"
        )


class UnreadableFile(FileError):
    remedy = "see to it that it can be read"

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(path, f"cannot be read ({error.strerror or error})")


class ForeignFile(FileError):
    remedy = "move it elsewhere and build the table"


class StrayFile(FileError):
    remedy = "rename it, or move it elsewhere"


class NewerFormat(FileError):
    remedy = "install the newest version of unmove to read it"


class OlderFormat(FileError):
    pass


class DamagedFile(FileError):
    pass


class MissingDependency(WorkError):
    def __init__(self, material: str, metric: str) -> None:
        self.material = material
        self.metric = metric
        super().__init__(
            f"The {metric} table of {material} is needed to build on and is not there",
            "build it first",
        )


class TableBusy(WorkError):
    def __init__(self, material: str, metric: str) -> None:
        self.material = material
        self.metric = metric
        super().__init__(
            f"Another run is building the {metric} table of {material} in the same folder",
            "wait for it, or choose another folder",
        )


class OutOfMemory(WorkError):
    def __init__(self, task: str, needed: int, available: int) -> None:
        self.needed = needed
        self.available = available
        super().__init__(
            f"{task} needs about {needed / 1e6:,.0f} MB of memory and {available / 1e6:,.0f} MB "
            "are free",
            "close other programs or use a larger machine. Finished tables are intact",
        )


class OutOfDisk(WorkError):
    def __init__(self, folder: Path, needed: int, available: int) -> None:
        self.folder = folder
        self.needed = needed
        self.available = available
        super().__init__(
            f"{folder} has {available / 1e6:,.1f} MB free and about {needed / 1e6:,.1f} MB are "
            "needed",
            "free some space or choose another folder. Finished tables are intact",
        )


class UnwritableFolder(WorkError):
    def __init__(self, folder: Path, reason: str) -> None:
        self.folder = folder
        self.reason = reason
        super().__init__(f"{folder} cannot be written ({reason})", "choose another folder")


class UnfinishedFile(WorkError):
    def __init__(self, parameter: str, path: Path | str, reason: str) -> None:
        self.parameter = parameter
        """The name of that which named the file, in the function that was called."""
        self.path = path
        self.reason = reason
        super().__init__(
            f"{path} could not be written to its end ({reason})",
            "free some space or choose another place. A file that was there is intact",
        )


class NoCluster(WorkError):
    def __init__(self, address: str, reason: str) -> None:
        self.address = address
        self.reason = reason
        super().__init__(
            f"The cluster {address} cannot be used: {reason}",
            "Start Ray there, or build on this machine alone",
        )


class NodeFailed(WorkError):
    def __init__(self, host: str, reason: str, remedy: str) -> None:
        self.host = host
        self.reason = reason
        super().__init__(f"On the machine {host}: {reason}", remedy)


class WorkersLost(WorkError):
    def __init__(self, material: str, metric: str, times: int, reason: str) -> None:
        self.material = material
        self.metric = metric
        self.times = times
        self.reason = reason
        """Why the last one was lost."""
        super().__init__(
            f"The process at the {metric} table of {material} was lost {times} times, at last "
            f"because {reason}",
            "See to the machines, and run it again. Finished tables are intact",
        )


class FixpointMismatch(WorkError):
    def __init__(self, material: str, metric: str, mismatches: int, example: str) -> None:
        self.material = material
        self.metric = metric
        self.mismatches = mismatches
        self.example = example
        super().__init__(
            f"The {metric} table of {material} is wrong in {mismatches:,} places, first at "
            f"{example}",
            "delete it and build it again",
        )


class ValuesDiffer(WorkError):
    def __init__(self, differing: int, example: str) -> None:
        self.differing = differing
        self.example = example
        super().__init__(
            f"Values that differ from the files compared: {differing:,}, first at {example}",
            "prove the table; if it holds, the other file is wrong",
        )


class FiguresDiffer(WorkError):
    def __init__(self, differing: int, example: str) -> None:
        self.differing = differing
        self.example = example
        super().__init__(
            f"Published figures that differ from ours for no known reason: {differing:,}, first "
            f"{example}",
            "prove the table, or correct the figure",
        )
