"""Rows in files, and what the command line says of them."""

import json
from typing import NamedTuple

import pytest

from sklearn_ap.__main__ import main
from sklearn_ap._report import page
from tests.helpers.cli_rows import FRAME
from tests.helpers.sketches import sketch


class Said(NamedTuple):
    """The status of a command, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def last(self):
        return self.out.rstrip("\n").rpartition("\n")[2]


class Asker:
    """The command line, whose words may stand in texts."""

    def __init__(self, capsys):
        self._capsys = capsys

    def __call__(self, *texts):
        return self.words(*(word for text in texts for word in text.split()))

    def words(self, *words):
        try:
            status = main([*words])
        except SystemExit as end:
            status = end.code or 0
        return Said(status, *self._capsys.readouterr())


@pytest.fixture
def ask(capsys):
    return Asker(capsys)


@pytest.fixture(autouse=True)
def pictures_are_drawn_and_not_rendered(monkeypatch):
    monkeypatch.setattr(page, "write_figure", sketch)


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """A file of all columns, in the folder of the command."""
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("rows.csv", index=False)
    return "rows.csv"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file into the folder of the command."""
    monkeypatch.chdir(tmp_path)

    def path(content, name="p.csv"):
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
        return name

    return path
