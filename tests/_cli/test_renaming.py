"""Names of columns, models and segments change themselves in an answer, and nothing else."""

import json
from shlex import quote

import pytest
from pyarrow import Table, parquet

from tests.helpers.cli_rows import FRAME
from tests.helpers.first_cases import quick

NAMES = [
    "St. Gallen",
    "Model v. 1",
    "ens, but small",
    "a: b",
    "<b>",
    "%s",
    "{x}",
    "sample_weight",
    "to_frame() has all",
]
ROLES = ("old", "new", "place", "DE")
COMMANDS = {
    "score": "--score old --score new --definition AP --require better",
    "score of one": "--score old --definition AP --require ap>=.99",
    "threshold": "--score old --score new --precision 0.95 --guarantee 0.9 --require guarantee",
    "segments": "--score old --segment place --require none-worse",
    "tools": "--score old",
    "report": "--score old --score new --segment place",
}
MARKDOWN = str.maketrans({letter: f"\\{letter}" for letter in r"\|`*_[<$&~^"})


def write(path, names):
    frame = FRAME[["y", "old", "new", "place"]].copy()
    frame["place"] = frame.place.replace("DE", names["DE"])
    columns = {names.get(name, name): frame[name].tolist() for name in frame}
    parquet.write_table(Table.from_pydict(columns), path)


def plain(text):
    """One line, as tables are as wide as their names, and lines are filled."""
    return " ".join(text.split())


def without(text, names):
    """Put marks for names, as each format and the shell spells them."""
    for role, name in names.items():
        for spelled in (quote(name), name.translate(MARKDOWN), json.dumps(name)[1:-1], name):
            text = text.replace(spelled, f"<{role}>")
    return text


# The first of the names, which each role has once or twice
@pytest.mark.parametrize("first", quick([4, 0, 8], 1))
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.filterwarnings("ignore")
def test_names_change_themselves_alone(ask, tmp_path, monkeypatch, command, first):
    monkeypatch.chdir(tmp_path)
    names = [NAMES[(first + i) % len(NAMES)] for i in range(len(ROLES))]
    # Short ones sort alike among the other segments.
    short = {
        role: f"{name[0]}{i}q" for i, (role, name) in enumerate(zip(ROLES, names, strict=True))
    }
    typed = {role: f"{name}{i}" for i, (role, name) in enumerate(zip(ROLES, names, strict=True))}
    for form in ("text", "markdown", "json"):
        texts = []
        for named in (short, typed):
            write("rows.parquet", named)
            flags = [named.get(word, word) for word in COMMANDS[command].split()]
            words = [command.split()[0], "rows.parquet", "--label", "y", *flags]
            said = ask.words(*words, "--format", form)
            assert said.status in (0, 3), said.err
            shown = said.out.partition("\nCalls\n")[0].partition("\n## Calls")[0]
            if form == "json":
                found = json.loads(said.out)
                for result in found["results"]:
                    for fact in result.get("facts", []):
                        fact.pop("call")
                shown = json.dumps(found, ensure_ascii=False)
            texts.append(without(plain(shown), named))
        assert texts[0] == texts[1]
