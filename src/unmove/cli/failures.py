"""How the command line reports an error: its exit code, and its sentence with our advice."""

from __future__ import annotations

from typing import Final

from unmove.errors import (
    AskerError,
    BadOption,
    FiguresDiffer,
    FileError,
    ForeignFile,
    MissingDependency,
    MissingTable,
    NewerFormat,
    NoCluster,
    NoHome,
    NoTables,
    OutOfDisk,
    StrayFile,
    TableBusy,
    UnanswerableError,
    UnfinishedFile,
    UnmoveError,
    UnreadableFile,
    UnwritableFolder,
    ValuesDiffer,
    WorkError,
    sentence,
)

UNEXPECTED: Final = 1
INTERRUPTED: Final = 130
"""After Ctrl-C."""

FLAGS: Final = {
    "cache": "--cache",
    "cluster": "--cluster",
    "fen": "--fen",
    "file": "FILE",
    "folder": "--dir",
    "form": "--format",
    "game": "--game",
    "gaviota": "--gaviota",
    "host": "--host",
    "level": "--log-level",
    "lines": "--lines",
    "material": "MATERIAL",
    "markdown": "--markdown",
    "memory": "--memory",
    "men": "--men",
    "metric": "--metric",
    "network": "--network",
    "node_cache": "--node-cache",
    "node_cores": "--node-cores",
    "node_dir": "--node-dir",
    "node_memory": "--node-memory",
    "nodes": "--nodes",
    "output": "--output",
    "paper": "PAPER",
    "parts": "--parts",
    "pgn": "--pgn",
    "plot": "--plot",
    "port": "--port",
    "seed": "--seed",
    "scratch": "--scratch",
    "sample": "--sample",
    "side": "--side",
    "source": "--input",
    "syzygy": "--syzygy",
    "threads": "--threads",
    "where": "--where",
}
"""How a command takes the parameter of a function."""


def exit_code(error: UnmoveError) -> int:
    """What the program ends with after an error."""
    match error:
        case AskerError():
            return 2
        case UnanswerableError():
            return 3
        case FileError():
            return 4
        case WorkError():
            return 5
    return UNEXPECTED


def told(error: UnmoveError) -> str:
    """What the program says of an error: parameters by their options, and our own advice."""
    if isinstance(error, BadOption):
        flag = FLAGS.get(error.parameter, error.parameter)
        return str(BadOption(flag, error.value, error.reason))
    return sentence(error.fact, advice(error))


def advice(error: UnmoveError) -> str:
    """What a user of the command line can do about an error: its own advice, or better."""
    elsewhere = "or point --dir at another folder"
    match error:
        case FileError(advice=""):  # a file that is not called a table
            return ""
        case StrayFile():
            return error.advice
        case ForeignFile():
            return f"{error.advice} with `unmove build`"
        case UnreadableFile() | NewerFormat():
            return f"{error.advice}, {elsewhere}"
        case FileError():
            return f"{error.advice} with `unmove build`, {elsewhere}"
        case MissingTable():
            return f"run `unmove build {error.material} --metric {error.metric}` first"
        case MissingDependency():
            return f"run `unmove build {error.material}` first"
        case NoTables():
            return (
                "Point --dir or $UNMOVE_DIR at the folder that has them, or build some, such as "
                "`unmove build KQvKR`"
            )
        case NoHome():
            return "Name the folder of the tables with --dir or $UNMOVE_DIR"
        case NoCluster():
            return (
                "Start Ray with `ray start --head`, or join it with `ray start --address`, or try "
                "--cluster local"
            )
        case TableBusy():
            return f"{error.advice} with --dir"
        case UnwritableFolder():
            return f"{error.advice} with --dir or $UNMOVE_DIR"
        case OutOfDisk():
            return (
                "free some space or choose another folder with --dir, and run the same command "
                "again. Finished tables are intact"
            )
        case UnfinishedFile():
            flag = FLAGS.get(error.parameter, error.parameter)
            return (
                f"free some space or choose another place with {flag}, and run the same command "
                "again. A file that was there is intact"
            )
        case ValuesDiffer():
            return "prove the table with `unmove verify`; if it holds, the other file is wrong"
        case FiguresDiffer():
            return "prove the table with `unmove verify`, or correct the figure"
    return error.advice
