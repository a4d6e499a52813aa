"""A file that is written is whole, or the one that was there before."""

import os
import stat
from contextlib import suppress
from errno import EACCES
from secrets import token_hex


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a file beside its place, and put it there when it is whole, with the mode it had.

    The target of a link is replaced, and not the link. Pipes, devices and what standard output is
    redirected to are written in place. Errors name the path.
    """
    path = os.fspath(path)
    try:
        if os.path.exists(path) and not _is_replaceable(path):
            _write(os.open(path, os.O_WRONLY | os.O_TRUNC), text)
        else:
            _replace(os.path.realpath(path), text)
    except OSError as error:
        error.filename, error.filename2 = path, None
        raise


def _is_replaceable(path: str) -> bool:
    """Check whether a path is a regular file that no standard stream writes to."""
    there = os.stat(path)
    if not stat.S_ISREG(there.st_mode):
        return False
    if not os.access(path, os.W_OK):  # which a new file in its place would pass over
        raise PermissionError(EACCES, os.strerror(EACCES))
    for stream in (1, 2):
        with suppress(OSError):  # it is closed
            if os.path.samestat(there, os.fstat(stream)):
                return False
    return True


def _replace(target: str, text: str) -> None:
    beside = os.path.join(os.path.dirname(target), f".{token_hex(8)}.part")
    try:
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except PermissionError:  # the file may be written to, and its folder not
        _write(os.open(target, os.O_WRONLY | os.O_TRUNC), text)
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
