"""The command line: the predictions in a file under every definition and every tool."""

from __future__ import annotations

import os
import signal
import sys

# The rest is imported after Ctrl-C is taken care of. Type checkers take this name for true.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, TextIO

    from sklearn_ap._program.cli.arguments import Parser


def main(arguments: list[str] | None = None) -> int:
    """Run the command line, and return its status.

    1 means that no row is positive, and 3 that what is required is not shown. What is wrong with
    the input or the arguments ends the program with one line and status 2, and Ctrl-C with status
    130.
    """
    import sklearn_ap
    from sklearn_ap._program.cli.arguments import parser

    # Without docstrings (-OO), there is none.
    command_line = parser((sklearn_ap.__doc__ or "").partition("\n")[0], sklearn_ap.__version__)
    try:
        try:
            return _run(command_line, arguments)
        finally:  # an answer that cannot be printed is an error here, and not at exit
            print(end="", flush=True)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader, such as head, needs no more
        _drop(sys.stdout, sys.stderr)
        return 0
    except OSError as error:
        _drop(sys.stdout)
        command_line.error(f"the answer cannot be written: {error.strerror}")
    except (MemoryError, RecursionError) as error:
        command_line.error(f"there is not enough memory. {error}")


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


def _run(command_line: Parser, arguments: list[str] | None) -> int:
    import warnings
    from contextlib import nullcontext

    from sklearn_ap._extras import progress
    from sklearn_ap._program.cli.example_file import FILE
    from sklearn_ap._program.cli.lines import fold, line

    args = command_line.parse_args(arguments)
    if args.command == "report":  # its page shows the command
        args.words = sys.argv[1:] if arguments is None else arguments
    if args.command == "example":
        print(FILE, end="", flush=True)
        return 0
    try:
        # This takes seconds. The version and the help do not need it.
        with progress(None, "", "starting") if "format" in args else nullcontext():
            from sklearn_ap._program.cli.commands import COMMANDS

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            text, status = COMMANDS[args.command](args)
    except ImportError as error:  # terminals of Windows know double quotes only
        command_line.error(str(error).replace("'", '"'))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        command_line.error(f"{place}{error.strerror or error}")
    except ValueError as error:
        command_line.error(str(error))
    try:
        print(text, flush=True)
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            print(fold(line("warning", message)), file=sys.stderr, flush=True)
    except BrokenPipeError:  # as below, but whether a requirement is shown stays
        _drop(sys.stdout, sys.stderr)
    return status


def _drop(*streams: TextIO) -> None:
    """Drop what is still to be written, because Python would try again at exit."""
    for stream in streams:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    program()
