"""Files that are written whole, or left as they were."""

import errno
import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress

from sklearn_ap._files.sources import DataError, file_identity

# Names of files that are open, whose places others hold: a new file there would not be theirs.
OPEN_FILES = ("/dev/std", "/dev/fd/", "/proc/")


def refuse_input(output: str, files: Iterable[str]) -> None:
    """Refuse an output that is one of the files to read, by whatever name."""
    for file in files:
        if file_identity(file) == file_identity(output):
            raise DataError(
                f"--output {output!r} is the file to read, {file!r}, which it would replace: name "
                f"another one"
            )


def is_standard_output(path: str) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.stat(path), os.fstat(1))
    return False


def write_file(path: str, text: str) -> None:
    """Write a file, or fill a pipe or a device."""
    try:
        _write(path, text.encode(errors="surrogateescape"))
    except OSError as error:
        raise OSError(error.errno, error.strerror, path or "--output ''") from error


def _write(path: str, content: bytes) -> None:
    """Write a regular file under another name first, so that a full disk spares the old one."""
    if not os.path.basename(path):  # such as "" and "folder/", which name no file
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    mode = None
    with suppress(FileNotFoundError):  # a new file, or a link to a missing one
        mode = os.stat(path).st_mode
    is_regular = mode is None or stat.S_ISREG(mode)
    if not is_regular or os.path.abspath(path).startswith(OPEN_FILES):
        with open(path, "wb") as file:
            file.write(content)
        return
    target = os.path.realpath(path)
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    new_file = os.path.join(os.path.dirname(target), f".sklearn-ap-{secrets.token_hex(4)}")
    try:
        with open(new_file, "xb") as file:
            if mode is not None:
                os.chmod(new_file, stat.S_IMODE(mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # some file systems say only now that the disk is full
        os.replace(new_file, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(new_file)
        raise
