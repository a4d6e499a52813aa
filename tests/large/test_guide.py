"""The code of the guide, run block by block as a reader would, on real files and engines."""

import re
import tomllib

import numpy as np
import pytest
from pages import DOCS, blocks
from recipe import mix, rows
from sklearn.metrics import average_precision_score

N = 20_000


def columns_of_rows():
    """Labels, scores, queries, weights and images, from integers."""
    y_true, y_score = rows(0, N, 2)
    query = mix(np.arange(N) + 99) % 300
    y_true &= query % 7 > 0  # some queries have no positives
    country = np.where(query % 3 == 0, "NL", "BE")
    time = np.datetime64("2026-10-01T00:00:00") + np.arange(N) % 3 * np.timedelta64(1, "D")
    columns = {"ts": time, "fraud": y_true, "score": y_score, "country": country, "query": query}
    columns |= {"old_score": np.round(y_score, 1)}
    return columns | {"weight": np.arange(N) % 3, "image": np.arange(N) // 5 % 999}


@pytest.fixture
def columns(tmp_path, monkeypatch):
    """The columns, in a folder of Parquet files with queries split over them."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table(made := columns_of_rows())
    (tmp_path / "scores").mkdir()
    for i in range(4):
        parquet.write_table(table.slice(i * N // 4, N // 4), tmp_path / "scores" / f"{i}.parquet")
    monkeypatch.chdir(tmp_path)
    return made


@pytest.mark.usefixtures("columns")
def test_guide_blocks_without_engines_print_the_shown_output(capsys):
    names, shown = {}, ""
    without = "My Parquet file has a billion rows", "Which source do I use?"
    without += "Chunks of arrays", "One pass: a histogram"
    for heading in without:
        for block in blocks("large.md", under=heading):
            exec(block, names)
        shown += "".join(blocks("large.md", under=heading, language="text"))
    assert shown
    assert capsys.readouterr().out == shown


def test_guide_explains_how_to_install_its_imports():
    page, project = (DOCS / "large.md").read_text(), (DOCS.parent / "pyproject.toml").read_text()
    extras = tomllib.loads(project)["project"]["optional-dependencies"]
    known = {
        re.match(r"\w+", each)[0]
        for name in set(extras) - {"test", "engines"}
        for each in extras[name]
    }
    known |= {"sklearn_ap", "numpy"}
    code = "\n".join(blocks("large.md"))
    imported = {*re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)}
    assert {"polars", "dask", "pyspark"} <= imported
    for package in imported - known:
        assert f"pip install {package}" in page


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
def test_guide_blocks_run_in_order_with_correct_results(spark, cluster, capsys, tmp_path, columns):
    names = {}
    for block in blocks("large.md"):
        # Spark looks from where its session began, which other tests share.
        exec(block.replace('parquet("scores")', f'parquet("{tmp_path}/scores")'), names)
    printed = capsys.readouterr().out
    y_true, y_score, query = (columns[name] for name in ("fraud", "score", "query"))
    each = (query == name for name in np.unique(query[y_true]))
    expected = np.mean([average_precision_score(y_true[i], y_score[i]) for i in each])
    assert f"mean average precision: {expected:.6f}" in printed
    for day in range(3):
        of_day = columns["ts"] == np.datetime64(f"2026-10-0{day + 1}T00:00:00")
        expected_of_day = average_precision_score(y_true[of_day], y_score[of_day])
        (said,) = re.findall(rf"2026-10-0{day + 1} +([0-9.]+) \(", printed)
        assert float(said) == pytest.approx(expected_of_day, abs=0.005)
    assert f"mean average precision on Dask: {expected:.6f}" in printed
    assert f"mean average precision on Spark: {expected:.6f}" in printed
