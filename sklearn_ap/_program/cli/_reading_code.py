"""Code that reads the columns of a file with pandas, so that the calls of a page run."""

import os
from argparse import Namespace
from collections.abc import Iterable

from sklearn_ap._inputs.times import CODES
from sklearn_ap._program.cli._file_predictions import FileSegments, stem_and_unit

TEXT_FILES = (".csv", ".tsv", ".txt")
READERS = {
    ".jsonl": "pd.read_json({}, lines=True, dtype=False)",
    ".ndjson": "pd.read_json({}, lines=True, dtype=False)",
    ".parquet": "pd.read_parquet({})",
    ".pq": "pd.read_parquet({})",
    ".feather": "pd.read_feather({})",
    ".arrow": "pd.read_feather({})",
}


def label_code(args: Namespace, label: str) -> str:
    """Write the positive label as pandas reads it: of texts, numbers and true are no texts."""
    if label.lower() in ("true", "false"):
        return label.title()
    if not all(file.lower().endswith(TEXT_FILES) for file in args.file):
        is_number = label.removeprefix("-").isdecimal()
        return label if is_number else repr(label)
    try:
        return f"{float(label):g}"
    except ValueError:
        return repr(label)


def reading_code(args: Namespace, segments: Iterable[FileSegments]) -> str:
    """Write how the names of calls are made from the files."""
    columns = [*dict.fromkeys(each.column for each in segments)]
    roles = {"clusters": args.cluster, "queries": args.query}
    named = {name: column for name, column in roles.items() if column is not None}
    names = [*columns, *(stem_and_unit(column)[0] for column in named.values())]
    frames = [_frame(file, names) for file in args.file]
    lines = []
    if None in frames:
        lines.append(f"# frame: the rows of {', '.join(args.file)}, as a DataFrame of pandas")
    elif len(frames) == 1:
        lines.append(f"frame = {frames[0]}")
    else:
        lines.append(f"frame = pd.concat([{', '.join(map(str, frames))}])")
    lines.append(f"y_true, y_scores = frame[{args.label!r}], frame[{args.score!r}]")
    for name, column in named.items():
        lines.append(f"{name} = {_column(column)}")
    if args.weight is not None:
        lines.append(f"sample_weight = frame[{args.weight!r}]")
    if columns:
        lines.append(f"segments = frame[{columns!r}].astype(str)")
    return "\n".join(lines)


def _column(name: str) -> str:
    """Write how a column is taken, in its unit of time if it has one."""
    column, unit = stem_and_unit(name)
    code = f"frame[{column!r}]"
    return code if unit is None else CODES[unit].format(code)


def _frame(file: str, names: list[str]) -> str | None:
    """Write how pandas reads a file; None for others, such as a folder or a pipe."""
    if not os.path.isfile(file):
        return None
    if file.lower().endswith(TEXT_FILES):
        with open(file, encoding="utf-8-sig", newline="") as lines:
            head = next(lines, "")
        sep = max(",;\t|", key=head.count)
        shown = "" if sep == "," else f", sep={sep!r}"
        texts = f", dtype={dict.fromkeys(names, 'str')!r}, keep_default_na=False" if names else ""
        return f"pd.read_csv({file!r}{shown}{texts})"
    ends = (code for end, code in READERS.items() if file.lower().endswith(end))
    code = next(ends, None)
    return None if code is None else code.format(repr(file))
