"""Code that reads the columns of a file with pandas, so that the calls of a page run."""

from argparse import Namespace
from collections.abc import Iterable

from sklearn_ap._program.cli._file_predictions import FileSegments, stem_and_unit

READERS = {
    ".csv": "pd.read_csv({})",
    ".tsv": "pd.read_csv({}, sep='\\t')",
    ".jsonl": "pd.read_json({}, lines=True)",
    ".ndjson": "pd.read_json({}, lines=True)",
    ".parquet": "pd.read_parquet({})",
    ".pq": "pd.read_parquet({})",
    ".feather": "pd.read_feather({})",
    ".arrow": "pd.read_feather({})",
}


def label_code(label: str) -> str:
    """Write a label as pandas reads it: 1 and true are no texts."""
    if label.lower() == "true":
        return "True"
    return str(int(label)) if label.removeprefix("-").isdecimal() else repr(label)


def reading_code(args: Namespace, segments: Iterable[FileSegments]) -> str:
    """Write how the names of calls are made from the files."""
    frames = [_frame(file) for file in args.file]
    lines = []
    if None in frames:
        lines.append(f"# frame: the rows of {', '.join(args.file)}, as a DataFrame of pandas")
    elif len(frames) == 1:
        lines.append(f"frame = {frames[0]}")
    else:
        lines.append(f"frame = pd.concat([{', '.join(map(str, frames))}])")
    lines.append(f"y_true, y_scores = frame[{args.label!r}], frame[{args.score!r}]")
    names = {"clusters": args.cluster, "queries": args.query, "sample_weight": args.weight}
    for name, column in names.items():
        if column is not None:
            lines.append(f"{name} = frame[{stem_and_unit(column)[0]!r}]")
    if columns := [*dict.fromkeys(each.column for each in segments)]:
        lines.append(f"segments = frame[{columns!r}]")
    return "\n".join(lines)


def _frame(file: str) -> str | None:
    """Write how pandas reads a file; None for others, such as a folder."""
    ends = (code for end, code in READERS.items() if end in file.lower()[-12:])
    code = next(ends, None)
    return None if code is None else code.format(repr(file))
