"""The command line: the predictions in a file under every definition and every tool."""

import os
import sys
import warnings
from contextlib import nullcontext
from typing import NoReturn, TextIO

import sklearn_ap
from sklearn_ap._cli.arguments import Parser, parser
from sklearn_ap._cli.output import fold, line
from sklearn_ap._extras.progress import progress


def main(arguments: list[str] | None = None) -> int:
    """Run the command line, and return its status.

    1 means that no row is positive. What is wrong with the input or the arguments ends the program
    with one line and status 2, and Ctrl-C with status 130.
    """
    known = parser(str(sklearn_ap.__doc__), sklearn_ap.__version__)
    try:
        try:
            return _run(known, arguments)
        finally:  # what cannot be printed is known here, and not at exit
            print(end="", flush=True)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever reads has seen enough
        _drop(sys.stdout, sys.stderr)
        return 0
    except OSError as error:
        _drop(sys.stdout)
        known.error(str(error.strerror))


def program() -> NoReturn:
    """Run the command line, and leave at once: threads of pyarrow that still read would abort."""
    try:
        status = main()
    except SystemExit as end:
        status = int(end.code or 0)
    os._exit(status)


def _run(known: Parser, arguments: list[str] | None) -> int:
    asked = known.parse_args(arguments)
    try:
        # This takes seconds. The version and the help do not need it. Without files, no extra is
        # needed, and tqdm may be missing.
        with progress(None, "", "starting") if "format" in asked else nullcontext():
            from sklearn_ap._cli.commands import COMMANDS

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            text, status = COMMANDS[asked.command](asked)
    except ImportError as error:  # terminals of Windows know double quotes only
        known.error(str(error).replace("'", '"'))
    except ValueError as error:
        known.error(str(error))
    print(text, flush=True)
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        print(fold(line("warning", message)), file=sys.stderr, flush=True)
    return status


def _drop(*streams: TextIO) -> None:
    """Send what is still to be written nowhere, as Python would try again at exit."""
    for stream in streams:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    program()
