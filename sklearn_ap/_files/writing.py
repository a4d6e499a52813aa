"""A file that is written is whole, or the one that was there before."""

import os
import re
import stat
import sys
from contextlib import suppress
from errno import EACCES, EBUSY, EISDIR, ELOOP, EPERM
from secrets import token_hex

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._types import Argument


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a file beside its place, and put it there when it is whole, with the mode it had.

    The target of a link is replaced, and not the link. Pipes, devices and what a standard stream
    is redirected to are written in place, as is a file that cannot be replaced as it was. Errors
    name the path.
    """
    path = _check_path(path)
    try:
        there = os.stat(path) if os.path.exists(path) else None
        stream = _stream_of(path, there)
        if stream is not None:
            _write(os.dup(stream), text)  # after what was written to it
        elif there is not None and not stat.S_ISREG(there.st_mode):
            _write_in_place(path, text)
        elif there is not None and not os.access(path, os.W_OK):
            # A new file in its place would pass over its mode.
            raise PermissionError(EACCES, os.strerror(EACCES))
        else:
            _replace(_find_target(path), there, text)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def _check_path(path: Argument) -> str:
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise InputTypeError(f"path must be the path of a file, got {path!r:.70}.")
    if not name or "\0" in name:
        raise InputError(f"path must be the path of a file, got {path!r:.70}.")
    return name


def _find_target(path: str) -> str:
    """Return the file that is written: the target of a link."""
    if not os.path.basename(path):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    target = os.path.realpath(path) if os.path.islink(path) else path
    if os.path.islink(target):  # to itself
        raise OSError(ELOOP, os.strerror(ELOOP))
    return target


def _stream_of(path: str, there: os.stat_result | None) -> int | None:
    """Return the open stream that a path names, or that writes to its file, or None."""
    if named := re.fullmatch(r"/(?:dev|proc/self)/fd/(\d+)", path):
        return int(named[1])
    for stream, written in ((1, sys.stdout), (2, sys.stderr)):
        with suppress(OSError):  # it is closed
            if there is not None and os.path.samestat(there, os.fstat(stream)):
                if written is not None:
                    written.flush()
                return stream
    return None


def _write_in_place(path: str, text: str) -> None:
    _write(os.open(path, os.O_WRONLY | os.O_TRUNC), text)


def _replace(target: str, there: os.stat_result | None, text: str) -> None:
    beside = os.path.join(os.path.dirname(target), f".{token_hex(8)}.part")
    try:
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except PermissionError:  # the file may be written to, and its folder not
        _write_in_place(target, text)
        return
    try:
        if there is not None:
            made = os.fstat(file)
            if (made.st_uid, made.st_gid) != (there.st_uid, there.st_gid):
                os.chown(beside, there.st_uid, there.st_gid)
            os.chmod(beside, stat.S_IMODE(there.st_mode))
        _write(file, text)
        os.replace(beside, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(beside)
        # Of another owner, or mounted by itself
        if there is None or not isinstance(error, OSError) or error.errno not in (EPERM, EBUSY):
            raise
        _write_in_place(target, text)


def _write(file: int, text: str) -> None:
    with open(file, "w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        with suppress(OSError):  # of a pipe
            os.fsync(file)
