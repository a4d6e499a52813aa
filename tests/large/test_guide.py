"""The code of the guide, run block by block as a reader would, on real files and engines."""

import numpy as np
import pytest
from pages import blocks
from recipe import mix, rows
from sklearn.metrics import average_precision_score

pytestmark = [
    pytest.mark.engines,
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
]
N = 20_000


def test_every_block_runs_after_those_before_it(spark, cluster, capsys, tmp_path, monkeypatch):
    """On a folder of Parquet files, with queries split over them."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    y_true, y_score = rows(0, N, 2)
    query = mix(np.arange(N) + 99) % 300
    y_true &= query % 7 > 0  # some queries have no positives
    country = np.where(query % 3 == 0, "NL", "BE")
    columns = {"fraud": y_true, "score": y_score, "country": country, "query": query}
    columns |= {"weight": np.arange(N) % 3, "image": np.arange(N) // 5 % 999}
    (tmp_path / "scores").mkdir()
    for i in range(4):
        part = pa.table(columns).slice(i * N // 4, N // 4)
        parquet.write_table(part, tmp_path / "scores" / f"{i}.parquet")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks("large.md"):
        # Spark looks from where its session began, which other tests share.
        exec(block.replace('parquet("scores")', f'parquet("{tmp_path}/scores")'), names)
    printed = capsys.readouterr().out
    each = (query == name for name in np.unique(query[y_true]))
    expected = np.mean([average_precision_score(y_true[i], y_score[i]) for i in each])
    assert f"mean average precision: {expected:.6f}" in printed
    assert f"mean average precision on Dask: {expected:.6f}" in printed
    assert f"mean average precision on Spark: {expected:.6f}" in printed
