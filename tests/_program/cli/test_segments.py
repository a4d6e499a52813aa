"""The command segments."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import average_precision_score, compare_segments
from sklearn_ap.__main__ import main
from sklearn_ap._results.text import pvalue_as_text
from sklearn_ap.definitions import AtK

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
RNG = np.random.default_rng(0)
Y = (RNG.random(300) < 0.3).astype(int)
P = np.round(1.5 * Y + RNG.normal(size=300), 3)
G = RNG.integers(8, 11, 300)  # 10 sorts before 9 as text
W = np.round(RNG.random(300) + 0.5, 2)
C = RNG.integers(0, 60, 300)
CSV = "y,p,g,w,c\n" + "".join(
    f"{','.join(map(str, row))}\n" for row in zip(Y, P, G, W, C, strict=True)
)
COLUMNS = ["--label", "y", "--score", "p", "--segment", "g"]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--weight", "w", "--prevalence", "0.1"], {"sample_weight": W, "prevalence": 0.1}),
        (["--cluster", "c", "--reference", "previous"], {"clusters": C, "reference": "previous"}),
        (["--prevalence", "own", "--reference", "9"], {"prevalence": "own", "reference": 9}),
        (["--prevalence", "5%", "--reference", "others"], {"prevalence": 0.05}),
    ],
)
def test_segments_command_equals_compare_segments(say, write, arguments, options):
    given = ["segments", write(CSV), *COLUMNS, *arguments]
    rows = json.loads(say(*given, "--format", "json"))["results"]
    found = compare_segments(Y, P, G, **options)
    assert [row["segment"] for row in rows] == ["8", "9", "10"]
    for row, expected in zip(rows, found.to_dict()["rows"], strict=True):
        for name, number in expected.items():
            if isinstance(number, float):
                assert row[name] == pytest.approx(number), name
        if options.get("reference") != "previous":
            assert row["reference"] == str(found.reference)
        assert row["target_prevalence"] == found.sample.target_prevalence


@pytest.mark.filterwarnings("ignore:No positive:UserWarning")
def test_segments_of_queries_have_the_numbers_of_compare_segments(capsys, write):
    query = np.random.default_rng(1).integers(0, 15, 300) * 3 + G  # each in one segment
    rows = zip(Y, P, G, W, query, strict=True)
    text = "y,p,g,w,q\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows)
    given = ["segments", write(text), *COLUMNS, "--query", "q", "--weight", "w"]
    for share, prevalence in (("own", "own"), ("0.2", 0.2)):
        arguments = [*given, "--prevalence", share]
        assert main([*arguments, "--format", "json"]) == 0
        printed = capsys.readouterr()
        rows = json.loads(printed.out)["results"]
        assert " of 45 queries. They count as 0. " in " ".join(printed.err.split())
        options = {"queries": query, "sample_weight": W, "prevalence": prevalence}
        found = compare_segments(Y, P, G, **options)
        assert np.isfinite(found.pvalue).all()
        for row, expected in zip(rows, found.to_dict()["rows"], strict=True):
            for name in ("estimate", "low", "high", "n_effective", "difference_low", "pvalue"):
                assert row[name] == pytest.approx(expected[name]), name
        assert main(arguments) == 0
        lines = capsys.readouterr().out.splitlines()
        (head,) = (line for line in lines if line.split()[:1] == ["estimate"])
        assert "queries" in head.split()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["--query", "g"],
            "With queries, pass --prevalence own, which leaves each query at its own share of "
            "positives, as mean average precision does, or a number for all queries.",
        ),
        (
            ["--query", "c", "--prevalence", "own"],
            "To rank the rows of each segment together, pass --cluster in the place of --query.",
        ),
        (["--query", "g", "--cluster", "c"], "Segments take queries or clusters, not both"),
    ],
)
def test_refusals_of_segments_of_queries_have_the_words_of_the_command_line(
    refuse, write, arguments, text
):
    said = refuse("segments", write(CSV), *COLUMNS, *arguments)
    assert text in said
    assert "prevalence=" not in said
    assert "clusters=" not in said


def test_segment_names_with_numbers_are_sorted_numerically(say, write):
    text = re.sub(r"^(\d+,[-.\d]+),", r"\1,week ", CSV, flags=re.MULTILINE)
    given = ["segments", write(text), *COLUMNS, "--reference", "previous", "--format", "json"]
    rows = json.loads(say(*given))["results"]
    found = compare_segments(Y, P, G, reference="previous")
    assert [row["segment"] for row in rows] == ["week 8", "week 9", "week 10"]
    assert [row["difference"] for row in rows[1:]] == pytest.approx(found.difference[1:].tolist())


def test_error_for_a_single_segment_points_to_the_score_command(capsys, write):
    rows = "".join(f"{y},{p},2026-01-0{1 + y}\n" for y, p in zip(Y, P, strict=True))
    columns = ["--label", "y", "--score", "p", "--segment", "t:year"]
    with pytest.raises(SystemExit):
        main(["segments", write("y,p,t\n" + rows), *columns])
    error = capsys.readouterr().err
    assert error.endswith("For the score of one segment use sklearn-ap score.\n")


def test_ordered_categories_keep_their_order_unless_files_have_several_orders(say, tmp_path):
    order = ["young", "middle", "nobody", "old"]
    names = np.array(order)[(G - 8) + (G == 10)]
    for orders, expected in (
        ([order], ["young", "middle", "old"]),
        ([order, order], ["young", "middle", "old"]),
        ([order, order[::-1]], ["middle", "old", "young"]),
    ):
        for i, part in enumerate(orders):
            categories = pd.Categorical(names, part, ordered=True)
            frame = pd.DataFrame({"y": Y, "p": P, "g": categories})
            frame.to_parquet(tmp_path / f"{i}.parquet", row_group_size=100)
        rows = json.loads(say("segments", str(tmp_path), *COLUMNS, "--format", "json"))["results"]
        assert [row["segment"] for row in rows] == expected


def test_each_definition_has_a_table_and_names_undefined_segments(capsys, write):
    text = CSV + "".join(f"0,{i},11,1,0\n" for i in range(5))
    definitions = ["--definition", "AP", "--definition", "PrecisionAtK", "--prevalence", "own"]
    assert main(["segments", write(text), *COLUMNS, *definitions]) == 0
    printed = capsys.readouterr()
    assert printed.out.index("\nstep AP, ") < printed.out.index("\nprecision@10, ")
    lines = [line for line in printed.out.splitlines() if line.startswith("11  ")]
    assert [line.count("\N{EN DASH}") for line in lines] == [3, 3]
    assert printed.err.count("'11'") == 1


# ---- dates

TIMES = pd.Series(pd.date_range("2026-09-14T01:30", periods=300, freq="2h"))


def with_times(times, **others):
    return pd.DataFrame({"y": Y, "p": P, "ts": times} | others)


def shown(say, path, *arguments):
    given = ["segments", str(path), "--label", "y", "--score", "p", *arguments]
    return [row["segment"] for row in json.loads(say(*given, "--format", "json"))["results"]]


DAYS = TIMES.dt.strftime("%Y-%m-%d").to_numpy()
NAMED = "--label", "y", "--score", "p"


def numbers_of(say, *arguments):
    return json.loads(say(*map(str, arguments), "--format", "json"))["results"]


@pytest.mark.parametrize("file", ["a.csv", "a.parquet"])
def test_queries_and_clusters_may_be_calendar_units_of_a_column(say, tmp_path, file):
    frame, path = with_times(TIMES, day=DAYS), tmp_path / file
    frame.to_parquet(path) if file.endswith("t") else frame.to_csv(path, index=False)
    at_3 = (*NAMED, "--definition", "AP@3")
    for command, *arguments in (
        ("score", path, *at_3),
        ("compare", path, *NAMED),
        ("explain", "xgboost.map", path, *NAMED),
    ):
        of_times, of_days = (
            numbers_of(say, command, *arguments, "--query", name) for name in ("ts:day", "day")
        )
        assert of_times == of_days, command
    options = {"queries": DAYS, "definition": AtK(3), "zero_division": 0.0}
    (row,) = numbers_of(say, "score", path, *at_3, "--query", "ts:day")
    assert row["value"] == pytest.approx(average_precision_score(Y, P, **options), abs=1e-15)
    of_times, of_days = (
        numbers_of(say, "score", path, *at_3, "--cluster", name) for name in ("ts:day", "day")
    )
    assert of_times == of_days
    pages = [
        say("report", str(path), *NAMED, option, name)
        for option in ("--query", "--cluster")
        for name in ("ts:day", "day")
    ]
    # The column day is not used in all.
    parts = [page[page.index("\n1. Data") : page.index("\nCalls\n")] for page in pages]
    assert "queries: 25" in parts[0]
    assert (parts[0], parts[2]) == (parts[1], parts[3])


def test_a_column_named_like_a_unit_is_read_as_itself(refuse, say, write):
    text = with_times(TIMES).rename(columns={"ts": "ts:day"}).to_csv(index=False)
    given = (write(text), *NAMED, "--definition", "AP", "--query", "ts:day", "--format", "json")
    assert json.loads(say("score", *given))["queries"] == 300
    said = refuse("score", write(CSV), *NAMED, "--query", "g:day")
    assert said.startswith("column 'g' holds no dates, such as 2026-10-01 or ")
    assert said.endswith("leave out :day")
    assert "no column 'z'" in refuse("score", write(CSV), *NAMED, "--query", "z:day")


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        (":week", [f"2026-09-{day}" for day in (14, 21, 28)] + ["2026-10-05"]),
        (":month", ["2026-09", "2026-10"]),
        (":quarter", ["2026Q3", "2026Q4"]),
    ],
)
def test_timestamps_of_any_format_become_calendar_segments(say, tmp_path, unit, expected):
    times = {
        "iso.csv": TIMES,
        "zone.csv": TIMES.dt.strftime("%Y-%m-%d %H:%M:%S+02:00"),
        "a.parquet": TIMES,
        "zone.parquet": TIMES.dt.tz_localize("Europe/Berlin"),
        "a.jsonl": TIMES.dt.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "a.tsv": TIMES,
    }
    for name, column in times.items():
        frame, path = with_times(column), tmp_path / name
        if name.endswith("parquet"):
            frame.to_parquet(path)
        elif name.endswith("jsonl"):
            frame.to_json(path, orient="records", lines=True)
        else:
            frame.to_csv(path, index=False, sep="\t" if name.endswith("tsv") else ",")
        assert shown(say, path, "--segment", f"ts{unit}") == expected, name


@pytest.mark.parametrize(
    ("unit", "days", "last"),
    [
        (":day", 1, "2026-10-03"),
        (":hour", 1, "2026-10-03T00"),
        (":year", 365, "2028"),
        ("", 1, "2026-10-03"),
    ],
)
def test_calendar_segments_are_named_by_their_start(say, tmp_path, unit, days, last):
    times = pd.Timestamp("2026-10-01") + pd.to_timedelta(np.arange(300) % 3 * days, "D")
    path = tmp_path / "a.csv"
    with_times(times).to_csv(path, index=False)
    assert shown(say, path, "--segment", f"ts{unit}")[-1] == last


def test_column_with_the_full_name_takes_precedence_over_a_unit(say, tmp_path):
    path = tmp_path / "a.csv"
    with_times(TIMES, **{"ts:month": G}).to_csv(path, index=False)
    assert shown(say, path, "--segment", "ts:month") == ["8", "9", "10"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--segment", "ts:hour"], "holds 300 dates as hours for 300 rows: write"),
        (["--segment", "g:day"], "holds no dates, such as 2026-10-01 .*, but '8': leave out :day"),
        (["--segment", "wrong:day"], "no dates.*, but '2026-13-01'"),
        (["--segment", "no:day"], "there is no column 'no'; there are "),
        (["--segment", "month"], "row 2, column 'month' is empty"),
        (["--segment", "g", "--prevalence", "few"], "0.05 or 5%, overall or own, got 'few'"),
        (["--segment", "g", "--reference", "rest"], "'others', 'previous' or the name of a"),
        (["--segment", "word", "--reference", "previous"], "not known, such as 'Feb' and 'Jan'"),
    ],
)
def test_invalid_segment_options_are_refused(capsys, tmp_path, arguments, text):
    path = tmp_path / "a.csv"
    words = np.array(["Jan", "Feb"])[np.arange(300) % 2]
    columns = {"wrong": "2026-13-01", "word": words, "month": None}
    with_times(TIMES, g=G, **columns).to_csv(path, index=False)
    with pytest.raises(SystemExit, match="2"):
        main(["segments", str(path), "--label", "y", "--score", "p", *arguments])
    assert re.search(text, " ".join(capsys.readouterr().err.split()))


def test_identifiers_as_segments_are_refused(capsys, tmp_path):
    path, n = tmp_path / "a.csv", 10_001
    ids = [f"id {i}" for i in range(n)]
    pd.DataFrame({"y": np.arange(n) % 2, "p": 1, "g": ids}).to_csv(path, index=False)
    with pytest.raises(SystemExit, match="2"):
        main(["segments", str(path), *COLUMNS])
    assert "10,001 names for 10,001 rows" in capsys.readouterr().err


def test_repeated_date_key_in_a_json_line_is_refused(capsys, tmp_path):
    path = tmp_path / "twice.jsonl"
    path.write_text('{"y": 1, "p": 0.5, "ts": "2026-01-01", "ts": "2026-02-01"}\n')
    with pytest.raises(SystemExit) as error:
        main(["segments", str(path), "--label", "y", "--score", "p", "--segment", "ts:month"])
    assert error.value.code == 2
    assert "row 1 has a key twice" in " ".join(capsys.readouterr().err.split())


def test_long_lists_name_the_format_that_has_all_segments(say, write):
    rows = [f"{i % 8 == 0:d},{i * 7 % 250},{i // 40 + 1}\n" for i in range(40 * 31)]
    given = ["segments", write("y,p,g\n" + "".join(rows)), *COLUMNS]
    assert "; --format json has all." in " ".join(say(*given).split())
    assert len(json.loads(say(*given, "--format", "json"))["results"]) == 31
    table = [line for line in say(*given, "--format", "markdown").splitlines() if line[:1] == "|"]
    assert len(table) == 2 + 31  # a head and a line


def test_markdown_has_the_p_values_of_the_text(say, write):
    rows = [f"{i % 8 == 0:d},{i * 7 % 250},{i % 3}\n" for i in range(240)]
    given = ["segments", write("y,p,g\n" + "".join(rows)), *COLUMNS]
    printed = say(*given, "--format", "markdown")
    for row in json.loads(say(*given, "--format", "json"))["results"]:
        assert f"| {pvalue_as_text(row['pvalue'])} |" in printed
