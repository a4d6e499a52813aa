"""The benchmark of the command line runs all its commands. No test asserts a time."""

import pytest

pytest.importorskip("pyarrow")


@pytest.mark.slow
def test_every_command_runs_and_is_measured(script, monkeypatch):
    shell = script("shell")
    monkeypatch.setattr(shell, "N_DAYS", 4)
    head, *lines = shell.table(20_000)
    assert head == ["", "s", "GB"]
    assert [title for title, *_ in lines] == [*shell.COMMANDS]
    assert all(float(seconds) > 0 and float(gigabytes) > 0.02 for _, seconds, gigabytes in lines)
