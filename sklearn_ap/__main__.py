"""The command line: the predictions in a file under every definition and every tool."""

from __future__ import annotations

import os
import signal
import sys

# The rest is imported after Ctrl-C is taken care of. Type checkers take this name for true.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import NoReturn, TextIO

    from sklearn_ap._cli.arguments import Parser


def main(arguments: list[str] | None = None) -> int:
    """Run the command line, and return its status.

    1 means that no row is positive, and 3 that what is required is not shown. What is wrong with
    the input or the arguments ends the program with one line and status 2, and Ctrl-C with status
    130.
    """
    import sklearn_ap
    from sklearn_ap._cli.arguments import parse, parser

    # Without docstrings (-OO), there is none.
    program = parser((sklearn_ap.__doc__ or "").partition("\n")[0], sklearn_ap.__version__)
    status = 0
    try:
        try:
            args = parse(program, sys.argv[1:] if arguments is None else arguments)
            text, status, warned = _ask(program, args)
            print(text, flush=True)
            for warning in warned:
                print(f"sklearn-ap: warning: {_one_line(warning)}", file=sys.stderr, flush=True)
        finally:  # an answer that cannot be printed is an error here, and not at exit
            print(end="", flush=True)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader, such as head, needs no more
        _drop(sys.stdout, sys.stderr)
    except OSError as error:
        _drop(sys.stdout)
        program.error(f"the answer cannot be written: {error.strerror}")
    return status


def program() -> NoReturn:
    """Run the command line, and leave at once: threads of pyarrow that still read would abort."""
    # An exception would be lost where it is raised in a callback.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    for name, mode in (("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:  # closed: an answer must then fail, and a warning need not
            setattr(sys, name, os.fdopen(os.open(os.devnull, mode), "w"))
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main()
    except SystemExit as end:
        status = int(end.code or 0)
    os._exit(status)


def _ask(program: Parser, args: Namespace) -> tuple[str, int, list[Warning]]:
    """Return the answer, its status, and warnings; what is wrong with the input is an error."""
    if args.command == "example":
        from sklearn_ap._cli.example_file import FILE

        return FILE.removesuffix("\n"), 0, []
    try:
        from sklearn_ap._cli.commands import run

        return run(args)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        program.error(_one_line(f"{place}{error.strerror or error}"))
    except (ImportError, TypeError, ValueError) as error:
        program.error(_one_line(error))
    except (MemoryError, RecursionError):
        program.error(
            "there is not enough memory: draw rows at random into another file, or count them in "
            "Python, as by large.from_table"
        )


def _one_line(message: object) -> str:
    from sklearn_ap._extras import printable

    return printable(" ".join(str(message).split()))


def _drop(*streams: TextIO) -> None:
    """Drop what is still to be written, because Python would try again at exit."""
    for stream in streams:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    program()
