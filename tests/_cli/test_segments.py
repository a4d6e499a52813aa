"""The command segments."""

import json

import numpy as np
import pandas as pd
import pytest
from every import every

from sklearn_ap import compare_segments
from sklearn_ap.__main__ import main

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


@every(
    ("arguments", "options"),
    [
        ([], {}),
        (["--weight", "w", "--prevalence", "0.1"], {"sample_weight": W, "prevalence": 0.1}),
        (["--cluster", "c", "--reference", "previous"], {"clusters": C, "reference": "previous"}),
        (["--prevalence", "own", "--reference", "9"], {"prevalence": None, "reference": 9}),
    ],
)
def test_the_numbers_are_those_of_the_function(say, write, arguments, options):
    given = ["segments", write(CSV), *COLUMNS, *arguments]
    rows = json.loads(say(*given, "--format", "json"))["results"]
    found = compare_segments(Y, P, G, **options)
    assert [row["segment"] for row in rows] == ["8", "9", "10"]
    for i, row in enumerate(rows):
        for name in found._numbers:
            number = float(getattr(found, name)[i])
            assert row[name] == (None if np.isnan(number) else pytest.approx(number)), name
        assert row["reference"] == str(found.reference)
        assert row["homogeneity_pvalue"] == pytest.approx(found.homogeneity_pvalue)
    assert "p-value of all segments being alike" in say(*given)


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


def test_each_definition_has_a_table_that_names_a_segment_without_positives(capsys, write):
    text = CSV + "".join(f"0,{i},11,1,0\n" for i in range(5))
    definitions = ["--definition", "AP", "--definition", "PrecisionAtK", "--prevalence", "own"]
    assert main(["segments", write(text), *COLUMNS, *definitions]) == 0
    printed = capsys.readouterr()
    assert printed.out.index("\nstep AP\n") < printed.out.index("\nprecision@10\n")
    assert "left out, as they lack positives or negatives: 11" in printed.out
    assert printed.err.count("'11'") == 1
