"""The memory that commands announce, or refuse, before they read."""

import os

import pyarrow as pa
import pytest
from pyarrow import parquet

from sklearn_ap.__main__ import main
from sklearn_ap._program.cli import _file_predictions, _memory

GB = 10**9
COLUMNS = ("--label", "y", "--score", "p")
TWO_MODELS = (*COLUMNS, "--score", "y")
# The arguments of each command with a file, and the gigabytes for 50 million rows.
COMMANDS = {
    "score": (COLUMNS, 1.6),
    "explain": (COLUMNS, 1.6),
    "threshold": ((*COLUMNS, "--k", "2"), 3.0),
    "segments": ((*COLUMNS, "--segment", "user"), 3.0),
    "compare": (COLUMNS, 3.6),
    "report": (COLUMNS, 4.5),
}


@pytest.fixture
def assume(monkeypatch):
    """Say how many rows the files have, and how much memory is there."""

    def set_both(n_rows, available):
        monkeypatch.setattr(_file_predictions, "estimate_rows", lambda _: n_rows)
        monkeypatch.setattr(_memory, "available_memory", lambda: available)

    return set_both


@pytest.fixture
def unread(monkeypatch):
    """Fail where a file is read."""

    def fail(*_):
        raise AssertionError("it was read")

    monkeypatch.setattr(_file_predictions, "read_files", fail)


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_stops_before_it_reads_what_does_not_fit(refuse, write, assume, command):
    assume(50_000_000, GB)
    tool = ["xgboost.aucpr"] if command == "explain" else []
    arguments, gigabytes = COMMANDS[command]
    said = refuse(command, *tool, write(), *arguments)
    assert said.startswith(
        f"there is not enough memory. {command} takes about {gigabytes} GB for 50,000,000 rows, "
        f"and 1.0 GB are available. Write a random sample of rows into another file, and pass that"
    )


SAMPLE = "rite a random sample of rows into another file, and pass that"
QUERIES = "rite a random sample of whole queries into another file, and pass that"
SCORE = "Call score, which gives the scores of this library alone, or w"
ONE_BY_ONE = "Call score with one --score at a time, which tells no differences, or w"


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize(
    ("arguments", "available", "remedy"),
    [
        (("compare", *COLUMNS), 1.7, f"{SCORE}{SAMPLE}."),
        (("compare", *COLUMNS), 1.5, f"W{SAMPLE}."),
        (("report", *COLUMNS), 1.7, f"{SCORE}{SAMPLE}."),
        (
            ("segments", *COLUMNS, "--segment", "user", "--query", "user"),
            1,
            f"W{SAMPLE}.".replace("rows", "whole queries"),
        ),
        (("score", *TWO_MODELS), 1.7, f"{ONE_BY_ONE}{SAMPLE}."),
        (("compare", *TWO_MODELS), 1.7, f"{ONE_BY_ONE}{SAMPLE}."),
        (("compare", *TWO_MODELS), 1.5, f"W{SAMPLE}."),
    ],
)
def test_remedies_are_those_of_the_command(refuse, write, assume, arguments, available, remedy):
    assume(50_000_000, available * GB)
    command, *options = arguments
    assert refuse(command, write(), *options).endswith(f" GB are available. {remedy}")


def test_what_fits_is_announced_and_answered(capsys, write, assume):
    command = ["compare", write(), *COLUMNS]
    assert main(command) == 0
    answer = capsys.readouterr()
    assert not answer.err
    for available, more in ((9 * GB, ""), (None, ""), (3 * GB, ", and 3.0 GB are available")):
        assume(50_123_456, available)
        assert main(command) == 0
        found = capsys.readouterr()
        assert found.out == answer.out
        said = "compare takes about 3.6 GB for 50,000,000 rows"
        assert found.err == f"sklearn-ap: note: {said}{more}\n"


@pytest.mark.parametrize("n_rows", [None, 1_000_000])
def test_small_and_unknown_numbers_of_rows_say_nothing(say, write, assume, n_rows):
    assume(n_rows, 1)
    say("compare", write(), *COLUMNS)


class TestRows:
    def test_lines_are_estimated_from_the_first_ones(self, tmp_path):
        path = tmp_path / "p.csv"
        path.write_text("y,p\n" + "".join(f"{i % 2},{i / 7e5:.6f}\n" for i in range(700_000)))
        assert _memory.estimate_rows([str(path)] * 2) == pytest.approx(1_400_000, rel=0.05)

    def test_rows_of_parquet_are_known(self, tmp_path):
        parquet.write_table(pa.table({"y": [1, 0, 1]}), tmp_path / "p.parquet")
        assert _memory.estimate_rows([str(tmp_path / "p.parquet")]) == 3

    @pytest.mark.parametrize("content", [b"", b"ARROW1\n\n", b"\x1f\x8bno\n", b"PAR1"])
    def test_rows_of_other_formats_and_of_standard_input_are_unknown(self, tmp_path, content):
        (tmp_path / "p").write_bytes(content)
        for path in (str(tmp_path / "p"), "-"):
            assert _memory.estimate_rows([path]) is None


class TestAvailableMemory:
    @pytest.fixture
    def system(self, monkeypatch, tmp_path):
        """Write what Linux says of its memory and of the groups of the process."""

        def write_files(info, groups="", **limits):
            for name, text in (("MEMORY_INFO", info), ("GROUPS", groups)):
                if text:
                    (tmp_path / name).write_text(text)
                monkeypatch.setattr(_memory, name, str(tmp_path / name))
            for name, limit in limits.items():
                path = tmp_path / name.replace("__", ".").replace("0", "/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{limit}\n")
            monkeypatch.setattr(_memory, "GROUP_FOLDER", str(tmp_path))
            return _memory.available_memory()

        return write_files

    INFO = "MemTotal: 9000 kB\nMemAvailable:    5000 kB\nSwapFree:         100 kB\n"

    def test_free_memory_counts_with_that_for_swapping(self, system):
        assert system(self.INFO) == 5100 * 1024

    @pytest.mark.parametrize(
        ("groups", "limits"),
        [
            ("0::/app.slice/a.service", {"app.slice0memory__max": 3000}),
            ("0::/app.slice/a.service", {"app.slice0a.service0memory__max": 3000}),
            ("0::/docker/hidden", {"memory__max": 3000}),
            ("7:cpu:/x\n8:memory:/box", {"memory0box0memory__limit_in_bytes": 3000}),
        ],
    )
    def test_lower_limit_of_a_group_counts(self, system, groups, limits):
        assert system(self.INFO, groups, **limits) == 3000

    @pytest.mark.parametrize("limit", ["max", 10**15])
    def test_no_or_a_higher_limit_does_not_count(self, system, limit):
        assert system(self.INFO, "0::/", memory__max=limit) == 5100 * 1024

    def test_limits_of_groups_of_other_controllers_do_not_count(self, system):
        limits = {"x0memory__max": 3000, "memory0x0memory__limit_in_bytes": 3000}
        assert system(self.INFO, "7:cpu:/x", **limits) == 5100 * 1024

    def test_elsewhere_all_memory_counts(self, system, monkeypatch):
        monkeypatch.setattr(os, "sysconf", lambda name: 4096 if "SIZE" in name else 10)
        assert system("") == 40_960

    def test_nothing_is_known_where_the_system_says_nothing(self, system, monkeypatch):
        monkeypatch.delattr(os, "sysconf")
        assert system("") is None
