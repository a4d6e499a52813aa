"""Judgements and runs in TREC's formats, which have blanks between columns, and no header."""

from codecs import BOM_UTF8
from collections.abc import Sequence

from sklearn_ap._files.formats import read_csv
from sklearn_ap._files.sources import BLOCK, DataError, name_of, open_file, pa
from sklearn_ap._files.tables import FileRows

QRELS = ("query", "iteration", "document", "label")
RUN = ("query", "Q0", "document", "rank", "score", "tag")
READ = ("query", "document", "label", "score")
BLANKS = bytes.maketrans(b"\t\v\f\r", b"    ")


def read_trec_rows(path: str, columns: Sequence[str]) -> list[FileRows]:
    """Read the query, the document, and the label of judgements or the score of a run."""
    wanted = [name for name in columns if name in READ]
    batches = []
    n_above = 0
    with open_file(path) as file:
        while lines := b"".join(file.readlines(BLOCK // 2)):
            if not n_above:
                lines = lines.removeprefix(BOM_UTF8)
                if len(lines.strip().partition(b"\n")[0].split()) == 1:
                    raise DataError(
                        f"row 1 has 1 column, not {len(columns)}, but a path is a file of TREC. Of "
                        f"another file pass a table, such as pd.read_csv(path)"
                    )
            source = pa.BufferReader(_squeeze_blanks(lines))
            for batch in read_csv(source, columns, wanted, " ", n_above=n_above, has_quotes=False):
                cells = dict(zip(wanted, batch.columns, strict=True))
                batches.append(FileRows(name_of(path), n_above + 1, cells, "."))
                n_above += batch.num_rows
        if not any(map(len, batches)):
            raise DataError("there are no rows")
    return batches


def _squeeze_blanks(lines: bytes) -> bytes:
    """Leave one blank between columns, and none around lines."""
    lines = lines.translate(BLANKS) + (b"" if lines.endswith(b"\n") else b"\n")
    while b"  " in lines:
        lines = lines.replace(b"  ", b" ")
    return lines.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")
