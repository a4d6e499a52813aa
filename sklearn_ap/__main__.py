"""The command line: what public functions say of predictions in files."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from contextlib import suppress
from typing import NoReturn

# The rest is imported after Ctrl-C is taken care of, as it takes long.
from sklearn_ap._cli.statuses import FAULT, STOPPED
from sklearn_ap._errors import InputError, MissingPackageError

ISSUES = "https://github.com/sklearn-ap/sklearn-ap/issues"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line, and return its status.

    What is wrong with the input or the arguments ends the program with one line, and a fault of the
    package with its traceback.
    """
    try:
        return _answer(sys.argv[1:] if arguments is None else arguments)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _refuse(f"{place}{error.strerror or error}")
    except (InputError, MissingPackageError) as error:
        _refuse(str(error))
    except MemoryError:
        _refuse(
            "there is too little memory: score a sample of the rows, or one model at a time by the "
            "command score without options of rows such as --weight, as it counts files of any size"
        )
    except Exception:
        traceback.print_exc()
        print(
            "sklearn-ap: this is a fault of the program, not an answer: please report it, with the "
            f"lines above, at {ISSUES}",
            file=sys.stderr,
        )
        return FAULT


def _answer(arguments: list[str]) -> int:
    from sklearn_ap._cli.arguments import EXAMPLE_FILE, parse

    args = parse(arguments)
    if args.command == "example":
        print(EXAMPLE_FILE, end="")
        return 0
    from sklearn_ap._cli import commands

    return commands.run(getattr(commands, f"answer_{args.command}"), args)


def _refuse(message: str) -> NoReturn:
    from sklearn_ap._cli.arguments import parser

    parser().error(message)


def program() -> NoReturn:
    """Run the command line, and leave at once: threads of pyarrow that still read would abort."""
    # An exception would be lost where it is raised in a callback.
    signal.signal(signal.SIGINT, lambda *_: os._exit(STOPPED))
    if hasattr(signal, "SIGPIPE"):  # not on Windows: the reader, such as head, needs no more
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if sys.stdout is not None:
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main()
    except SystemExit as end:
        status = int(end.code or 0)
    with suppress(OSError):  # which was told, if the answer could not be written
        print(end="", flush=True)
    os._exit(status)


if __name__ == "__main__":
    program()
