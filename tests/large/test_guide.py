"""The code of the guide, run block by block as a reader would, on real files and engines."""

import re
from pathlib import Path

import numpy as np
import pytest
from recipe import mix, rows

from sklearn_ap import average_precision_score

pytestmark = [
    pytest.mark.engines,
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
]
GUIDE = Path(__file__).parents[2] / "docs" / "large.md"
N = 20_000


@pytest.fixture
def scores(tmp_path, monkeypatch):
    """A folder of Parquet files, queries split over them."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    y_true, y_score = rows(0, N, 2)
    query = mix(np.arange(N) + 99) % 300
    y_true &= query % 7 > 0  # some queries have no positives
    columns = {
        "fraud": y_true,
        "score": y_score,
        "country": np.where(query % 3 == 0, "NL", "BE"),
        "query": query,
        "weight": np.arange(N) % 3,
        "image": np.arange(N) // 5 % 999,
    }
    (tmp_path / "scores").mkdir()
    table = pa.table(columns)
    for i in range(4):
        parquet.write_table(table.slice(i * N // 4, N // 4), tmp_path / "scores" / f"{i}.parquet")
    monkeypatch.chdir(tmp_path)
    return columns


def test_every_block_runs_after_those_before_it(scores, spark, cluster, capsys, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.M | re.S)
    assert len(blocks) >= 9
    names = {}
    for block in blocks:
        # Spark looks from where its session began, which other tests share.
        block = block.replace('parquet("scores")', f'parquet("{tmp_path}/scores")')
        exec(compile(block, str(GUIDE), "exec"), names)
    printed = capsys.readouterr().out
    expected = average_precision_score(
        scores["fraud"], scores["score"], queries=scores["query"], zero_division=np.nan
    )
    assert f"mean average precision on Dask: {expected:.6f}" in printed
    assert f"mean average precision on Spark: {expected:.6f}" in printed
