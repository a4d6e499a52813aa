"""The status of each command, as the page has them."""

import re
from pathlib import Path
from unittest.mock import Mock

import pytest

from sklearn_ap.__main__ import main
from sklearn_ap._program.cli.commands import COMMANDS

PAGE = (Path(__file__).parents[3] / "docs" / "command_line.md").read_text()
HEADER = "y,p,q,s,w\n"
FILES = {
    "both.csv": "1,.9,a,x,1\n0,.8,a,x,1\n1,.7,b,y,1\n0,.6,b,y,1\n",
    "none.csv": "0,.9,a,x,1\n0,.8,a,x,1\n0,.7,b,y,1\n0,.6,b,y,1\n",
    "all.csv": "1,.9,a,x,1\n1,.8,a,x,1\n1,.7,b,y,1\n1,.6,b,y,1\n",
    "apart.csv": "1,.9,a,x,1\n1,.8,a,x,1\n0,.7,b,y,1\n0,.6,b,y,1\n",
    "light.csv": "1,.9,a,x,0\n0,.8,a,x,1\n1,.7,b,y,0\n0,.6,b,y,1\n",
    "empty.csv": "",
}
FILES = {name: HEADER + rows for name, rows in FILES.items()}
FILES |= {"q.txt": "1 0 a 1\n2 0 a 1\n", "q0.txt": "1 0 a 0\n2 0 a 0\n"}
FILES["r.run"] = "1 Q0 a 1 .9 x\n2 Q0 b 1 .8 x\n"
C, Q = "--label y --score p", "--query q"
LEFT_OUT = "--without-positives left-out"
AT = "--definition AP --prevalence .1"

# The arguments by status. What is undefined in one query alone counts 0, or is left out.
STATUSES = {
    0: [
        *("", "example", "--version", "--help", "score --help"),
        *(f"score {f}.csv {C}" for f in ("both", "all", "apart")),
        *(f"score apart.csv {C} {Q} {more}" for more in ("", LEFT_OUT)),
        f"threshold both.csv {C} --precision .5 --prevalence .1",
        f"threshold all.csv {C} --k 2",
        f"segments both.csv {C} --segment s",
        f"report both.csv {C}",
        *(f"compare {f}.csv {C}" for f in ("both", "all")),
        f"compare apart.csv {C} {Q}",
        *(f"explain xgboost.aucpr {f}.csv {C}" for f in ("both", "all")),
        "trec q.txt r.run",
        f"score both.csv {C} --confidence-level 99.99999999959%",
    ],
    1: [
        *(f"score {f} {C} {o}" for f in ("none.csv", "light.csv --weight w") for o in ("", AT, Q)),
        f"score none.csv {C} {Q} {LEFT_OUT}",
        f"score none.csv {C} --require AP>=.1",
        f"score none.csv --label y --score p --score w {AT}",
        f"score all.csv {C} {AT}",  # as no row is negative
        f"score apart.csv {C} {Q} --cluster q {AT} --format json",  # as no query has both
        *(f"compare none.csv {C} {more}" for more in ("", Q, "--all", "--near .5", LEFT_OUT)),
        f"compare light.csv {C} --weight w",
        f"explain xgboost.aucpr none.csv {C}",
        *(f"trec {rest}" for rest in ("q0.txt r.run", "q.txt r.run --relevance-level 2")),
    ],
    3: [
        f"score both.csv {C} --require AP>=.9",
        f"score apart.csv {C} {Q} --require AP@5>=.9 --tries 3",
        f"compare both.csv {C} --score w --require better",
        f"threshold both.csv {C} --precision .5 --guarantee .9 --require",
        "trec q.txt r.run --require map>=.9",
    ],
    2: [
        *("nothing", "score", "example x", "score --nothing", "explain", "trec q.txt"),
        *(f"{c} {f} {C}" for c in ("score", "compare", "report") for f in ("empty.csv", "no.csv")),
        f"score both.csv {C} --score p",
        *(f"report {f} {C}" for f in ("none.csv", "light.csv --weight w")),
        f"threshold both.csv {C}",
        # Without positives, these have no answer.
        *(f"threshold none.csv {C} {goal}" for goal in ("--recall .5", "--k 2", "--cost 1 2")),
        f"threshold all.csv {C} --recall .5 --prevalence .1",
        *(f"segments {f}.csv {C} --segment s" for f in ("none", "all", "apart", "empty")),
        f"explain nothing both.csv {C}",
        *(f"trec {files}" for files in ("q.txt no.run", "both.csv r.run", "q.txt q.txt")),
    ],
}


@pytest.mark.parametrize(
    ("status", "arguments"), [(s, each) for s, every_one in STATUSES.items() for each in every_one]
)
@pytest.mark.filterwarnings("ignore")
def test_each_command_has_the_statuses_of_the_page(
    tmp_path, monkeypatch, capsys, status, arguments
):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    try:
        found = main(arguments.split())
    except SystemExit as end:
        found = end.code
    assert (found or 0) == status
    printed = capsys.readouterr()
    assert bool(printed.out) == (status != 2)
    said = " ".join(printed.err.split())  # lines are folded
    assert ("so average precision is not defined" in said) == (status == 1)
    assert printed.err.startswith("sklearn-ap: error: ") == (status == 2)


def test_every_command_is_tested_with_each_of_its_statuses():
    tested = {status: {each.split(" ")[0] for each in of} for status, of in STATUSES.items()}
    commands = {name or "" for name in COMMANDS}
    assert commands <= tested[0]
    assert commands - {"", "example", "threshold", "segments", "report"} == tested[1]
    assert commands - {""} <= tested[2]
    assert {int(status) for status in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)} == {
        *STATUSES,
        130,
    }


@pytest.mark.parametrize(
    "command", [each.split()[0] for each in STATUSES[2] if each.startswith(tuple("slct"))]
)
def test_ctrl_c_stops_each_command_with_130(monkeypatch, command):
    stopped = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setitem(COMMANDS, command, stopped)
    wanted = {
        "trec": "q r",
        "threshold": f"f {C} --k 1",
        "segments": f"f {C} --segment s",
    }
    assert main([command, *wanted.get(command, f"f {C}").split()]) == 130
    assert stopped.called
