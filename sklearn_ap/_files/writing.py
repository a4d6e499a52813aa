"""A file that is written is whole, or the one that was there before."""

import os
import stat
import sys
from contextlib import suppress
from errno import EACCES
from secrets import token_hex


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a file beside its place, and put it there when it is whole, with the mode it had.

    The target of a link is replaced, and not the link. Pipes, devices and what a standard stream
    is redirected to are written in place. Errors name the path.
    """
    path = os.fspath(path)
    try:
        there = os.stat(path) if os.path.exists(path) else None
        stream = None if there is None else _stream_to(there)
        if stream is not None:
            _write(os.dup(stream), text)  # after what was written to it
        elif there is not None and not stat.S_ISREG(there.st_mode):
            _write_in_place(path, text)
        elif there is not None and not os.access(path, os.W_OK):
            # A new file in its place would pass over its mode.
            raise PermissionError(EACCES, os.strerror(EACCES))
        else:
            _replace(os.path.realpath(path), text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def _stream_to(there: os.stat_result) -> int | None:
    """Return the standard stream that writes to a file, or None."""
    for stream, written in ((1, sys.stdout), (2, sys.stderr)):
        with suppress(OSError):  # it is closed
            if os.path.samestat(there, os.fstat(stream)):
                written.flush()
                return stream
    return None


def _write_in_place(path: str, text: str) -> None:
    _write(os.open(path, os.O_WRONLY | os.O_TRUNC), text)


def _replace(target: str, text: str) -> None:
    beside = os.path.join(os.path.dirname(target), f".{token_hex(8)}.part")
    try:
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except PermissionError:  # the file may be written to, and its folder not
        _write_in_place(target, text)
        return
    try:
        _write(file, text)
        if os.path.exists(target):
            os.chmod(beside, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def _write(file: int, text: str) -> None:
    with open(file, "w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        with suppress(OSError):  # of a pipe
            os.fsync(file)
