"""The memory that a command takes for the rows of its files, and the memory that is there."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path

from sklearn_ap._files.formats import format_of
from sklearn_ap._files.sources import BLOCK, open_file
from sklearn_ap._results.text import count_as_text, number_as_text, rounded_as_text

GB = 1e9
LARGE = 1 * GB  # less is not worth a line
# The interpreter and its libraries, and the bytes for each row of one model: peaks of processes on
# 500,000 to 50 million rows of Parquet, 2% of them positive, whose scores all differ.
BASE = 0.25 * GB
BYTES_PER_ROW = {
    "score": 28,
    "explain": 28,
    "threshold": 55,
    "segments": 55,
    "compare": 67,
    "report": 85,
}
BYTES_PER_VALUE = 10  # of a query, a cluster or a weight, of which there are few
BYTES_PER_SCORE = 36  # of another model
TIED_SHARE = 2 / 3  # of these bytes are enough where many scores are equal
ROLES = "query", "cluster", "weight"
GROUPS = "/proc/self/cgroup"
GROUP_FOLDER = "/sys/fs/cgroup"
MEMORY_INFO = "/proc/meminfo"


def check_memory(args: Namespace, n_rows: int | None) -> None:
    """Say what a command takes if that is much, and stop if it is not there.

    Nothing is said if the number of rows is unknown before they are read.
    """
    need = 0.0 if n_rows is None else estimate_memory(args, n_rows)
    if n_rows is None or need < LARGE:
        return
    text = (
        f"{args.command} takes about {number_as_text(need / GB, 1)} GB for {_rounded(n_rows)} rows"
    )
    available = available_memory()
    if available is not None and need > available:
        text += f", and {number_as_text(available / GB, 1)} GB are available"
        if need * TIED_SHARE > available:
            raise MemoryError(f"{text}. {_remedy(args, n_rows, available)}")
    print(f"sklearn-ap: note: {text}", file=sys.stderr, flush=True)


def estimate_rows(files: Sequence[str]) -> int | None:
    """Return the rows of Parquet, or estimate those of text by the first lines; None if unknown."""
    if not all(map(os.path.isfile, files)):
        return None
    try:
        numbers = [*map(_n_rows, files)]
    except (ValueError, OSError):  # which is told when the file is read
        return None
    return None if None in numbers else sum(filter(None, numbers))


def _n_rows(path: str) -> int | None:
    """Return or estimate the rows of a file; None for Feather and for packed files."""
    with open_file(path) as file:
        kind = format_of(path, file)
        if kind == "parquet":
            from pyarrow import parquet

            return int(parquet.read_metadata(file).num_rows)
        if kind == "feather" or not isinstance(file.raw, FileIO):
            return None
        block = file.read(BLOCK)
        return round(block.count(b"\n") * os.path.getsize(path) / len(block))


def _rounded(number: int) -> str:
    """Write a number that may be an estimate with two digits."""
    return count_as_text(float(rounded_as_text(number, 2)))


def estimate_memory(args: Namespace, n_rows: int) -> float:
    """Estimate the peak in bytes; many positives, and many queries or clusters, take more.

    Several models are compared with each other, as score does.
    """
    command = "score" if args.command == "compare" and len(args.score) > 1 else args.command
    n_values = sum(getattr(args, role, None) is not None for role in ROLES)
    model_bytes = BYTES_PER_ROW[command] + BYTES_PER_SCORE * (len(args.score) - 1)
    return BASE + n_rows * (model_bytes + BYTES_PER_VALUE * n_values)


def _remedy(args: Namespace, n_rows: int, available: float) -> str:
    """Name what takes less and still answers: fewer models at a time, another command, or rows."""

    def fits(**other: object) -> bool:
        return estimate_memory(Namespace(**vars(args) | other), n_rows) <= available

    units = "rows"
    for role, names in (("query", "queries"), ("cluster", "clusters")):
        if getattr(args, role, None) is not None:
            units = f"whole {names}"
    remedies = [f"write a random sample of {units} into another file, and pass that"]
    if len(args.score) > 1 and fits(command="score", score=args.score[:1]):
        remedies.insert(0, "call score with one --score at a time, which tells no differences")
    elif args.command in ("compare", "report") and fits(command="score"):
        remedies.insert(0, "call score, which gives the scores of this library alone")
    text = ", or ".join(remedies)
    return f"{text[0].upper()}{text[1:]}."


def available_memory() -> float | None:
    """Return the bytes that this process can get, at most; None if the system does not say."""
    limits = [_free_memory(), *_cgroup_limits()]
    known = [limit for limit in limits if limit is not None]
    return min(known, default=None)


def _free_memory() -> float | None:
    """Return the free memory with that for swapping, or else all memory of the machine."""
    with suppress(OSError, KeyError, ValueError):
        lines = Path(MEMORY_INFO).read_text(encoding="ascii").splitlines()
        sizes = {name: size for name, _, size in (text.partition(":") for text in lines)}
        names = "MemAvailable", "SwapFree"
        return sum(1024.0 * int(sizes[name].removesuffix("kB")) for name in names)
    with suppress(AttributeError, OSError, ValueError):  # on Windows, there is no sysconf
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    return None


def _cgroup_limits() -> list[float]:
    """List the limits of containers and services on the process, under version 1 or 2."""
    limits = []
    with suppress(OSError, ValueError):
        for text in Path(GROUPS).read_text(encoding="utf-8").splitlines():
            _, controllers, group = text.split(":", 2)
            is_first_version = "memory" in controllers.split(",")
            if not is_first_version and controllers:
                continue
            name = "memory.limit_in_bytes" if is_first_version else "memory.max"
            folder = Path(GROUP_FOLDER, "memory" if is_first_version else "", group.lstrip("/"))
            # A container sees its own group as the root, and groups above also limit this one.
            for place in (folder, *folder.parents):
                with suppress(OSError, ValueError):  # without a limit, it says max
                    limits.append(float(int((place / name).read_text(encoding="ascii"))))
    return limits
