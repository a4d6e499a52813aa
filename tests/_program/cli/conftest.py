"""Files to read, and what the command line says of them."""

import re

import pytest
from predictions_file import TEXT

from sklearn_ap.__main__ import main


@pytest.fixture
def write(tmp_path):
    def path(content=TEXT, name=None):
        name = name or {b"PAR1": "p.parquet", b"ARRO": "p.feather"}.get(content[:4], "p.csv")
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return path


@pytest.fixture
def say(capsys):

    def run(*arguments):
        assert main([*arguments]) == 0
        printed = capsys.readouterr()
        _, *said = " ".join(printed.err.split()).split("sklearn-ap: warning: ") or [""]
        assert all(re.search("few [a-z]+: ", each) for each in said), said
        return printed.out

    return run


@pytest.fixture
def refuse(capsys):

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([*arguments])
        assert stop.value.code == 2
        printed = capsys.readouterr()
        assert not printed.out
        assert printed.err.startswith("sklearn-ap: error: ")
        assert printed.err.count("\n") == 1
        return printed.err.removeprefix("sklearn-ap: error: ").rstrip()

    return run
