"""Two states are timed call by call, on calls that both have."""

from types import SimpleNamespace

import pytest

import sklearn_ap


@pytest.fixture
def beside(script):
    return script("beside")


@pytest.mark.filterwarnings("ignore")
def test_each_call_has_a_name_of_its_own_and_answers(beside, monkeypatch):
    monkeypatch.setattr(beside, "ROWS", [(100, 0.2)])
    monkeypatch.setattr(beside, "SIZES", (1000,))
    monkeypatch.setattr(beside, "MANY", 2000)
    rng = beside.np.random.default_rng(0)
    calls = [*beside.calls_of_rows(sklearn_ap, rng), *beside.calls_of_groups(sklearn_ap, rng)]
    assert len({name for name, _ in calls}) == len(calls) > 20
    for _, call in calls:
        call()


def test_ratios_are_printed_the_worst_first_and_counted(beside, monkeypatch, capsys):
    before, after = {"a": 1.0, "b": 2.0, "c": 1.0}, {"a": 2.0, "b": 2.0, "c": 1.2}
    monkeypatch.setattr(beside, "run_beside", lambda commit: (before, after))
    monkeypatch.setattr(beside.sys, "argv", ["beside.py", "HEAD"])
    monkeypatch.setattr(beside.subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0))
    with pytest.raises(SystemExit) as ended:
        beside.main()
    assert ended.value.code == 1
    *rows, last = capsys.readouterr().out.splitlines()
    assert [row.split()[-1] for row in rows] == ["a", "c", "b"]
    assert last == "1 of 3 calls take over 1.25 times as long as in HEAD"


def test_a_history_without_the_commit_is_told(beside, monkeypatch):
    monkeypatch.setattr(beside.sys, "argv", ["beside.py", "1" * 40])
    with pytest.raises(SystemExit, match=f"The history lacks {'1' * 40}: fetch it"):
        beside.main()
