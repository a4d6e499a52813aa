"""Every command of the first pages, typed in order into a fresh environment, which pip fills."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
SOURCE = "https://github.com/sklearn-ap/sklearn-ap"
# A block of commands, a block of Python, or a command within a sentence.
TYPED = re.compile(r"^```(sh|python)\n(.*?)^```$|`((?:python|pip|sklearn-ap) [^`]+)`", re.M | re.S)
OF_CHECKOUT = re.compile(r'pip install (-e )?"?\.(?!/)')  # a reader stands in the checkout
PAGES = "README.md", "docs/index.md", "docs/get_started.md"
# The tests of the package are only looked for here: they run elsewhere, for minutes.
PYTEST = {"PYTEST_ADDOPTS": "--collect-only -q"}

pytestmark = [
    pytest.mark.commands,
    pytest.mark.skipif(sys.platform == "win32", reason="the pages show commands of a Unix shell"),
]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The files of this checkout as a repository of their own, with what is not committed yet."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    root = tmp_path_factory.mktemp("source") / "sklearn-ap"
    listed = run("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    run("git", "init", cwd=root)
    run("git", "add", ".", cwd=root)
    nobody = "-c", "user.name=nobody", "-c", "user.email=nobody@example.org"
    run("git", *nobody, "commit", "-m", "all", cwd=root)
    return root


@pytest.fixture(scope="module")
def fresh(tmp_path_factory, checkout):
    """The variables of a shell in whose environment the first command of the pages was typed.

    What it clones is this checkout. The wheel is there, too: pages of a release install it by its
    name.
    """
    names = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    root = tmp_path_factory.mktemp("reader")
    venv, links = root / "venv", root / "links"
    run(sys.executable, "-m", "venv", str(venv), env=names)
    run(str(venv / "bin/pip"), "wheel", "--no-deps", "-w", str(links), str(checkout), env=names)
    names |= {
        "PATH": f"{venv / 'bin'}{os.pathsep}{names['PATH']}",
        "PIP_FIND_LINKS": f"{links} {names.get('PIP_FIND_LINKS', '')}",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{checkout}.insteadOf",
        "GIT_CONFIG_VALUE_0": SOURCE,
    }
    type_in(next(commands_of(PAGES[0])), root, names)
    assert there(names, "numpy", "pyarrow", "pandas") == ["numpy", "pyarrow"]
    return names


@pytest.fixture
def folder(tmp_path):
    """Where a reader stands, with predictions in a file."""
    place = tmp_path / "folder"
    place.mkdir()
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.2
    columns = {
        "y": y.astype(int),
        "old": y + rng.normal(size=300),
        "new": y + rng.normal(size=300),
        "date": np.datetime64("2026-05-01") + np.arange(300) // 3,
        "country": rng.choice(["DE", "FR"], 300),
        "customer": rng.integers(0, 150, 300),
    }
    table = [
        ",".join(columns),
        *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    (place / "predictions.csv").write_text("\n".join(table))
    return place


def there(fresh, *names):
    """Which of these packages are installed."""
    code = "import importlib.util, sys; print(*filter(importlib.util.find_spec, sys.argv[1:]))"
    return run("python", "-c", code, *names, env=fresh).split()


def commands_of(page):
    """The commands of a page in order, without remarks; each block of Python is None."""
    for language, block, sentence in TYPED.findall((ROOT / page).read_text()):
        yield None if language == "python" else re.sub("^#.*\n", "", block) or sentence


def type_in(command, folder, names):
    return run("bash", "-eo", "pipefail", "-c", command, cwd=folder, env=names)


def test_all_pages_begin_with_the_same_installation():
    """So one environment is enough for all of them."""
    assert len({next(commands_of(page)) for page in PAGES}) == 1


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_works_in_order(page, fresh, checkout, folder):
    _, *others = commands_of(page)
    if None in others and page != "README.md":  # which .ci/wheel runs with fewer packages
        doctest = "-W", "error", "-m", "doctest"  # of all blocks, as they stand in one session
        run("python", *doctest, str(checkout / page), cwd=folder, env=fresh)
    for command in filter(None, others):
        said = type_in(command, checkout if OF_CHECKOUT.search(command) else folder, fresh | PYTEST)
        # Nothing that the page uses is missing after its first command.
        assert "pip install" not in said or "pip install" in command, said
        if "sklearn-ap example |" in command:
            assert "10 rows, 5 positives" in said
    if any("report" in command for command in filter(None, others)):
        assert "<img" in (folder / "report.html").read_text()


def test_every_command_of_the_command_line_works_in_order(fresh, checkout, tmp_path):
    page = "\n".join((ROOT / f"docs/{name}.md").read_text() for name in ("command_line", "gates"))
    blocks = re.findall(r"^```(sh|python|console)\n(.*?)^```$", page, re.M | re.S)
    named = re.findall("`(sklearn-ap [^.`]+ .*?)`", page, re.S)  # in sentences
    folder = tmp_path / "empty"
    folder.mkdir()
    options = {"cwd": folder, "env": fresh}
    run("pip", "install", f"{checkout}[plot,table]", "pandas", **options)
    for words in named:
        run("bash", "-ec", " ".join(words.replace("COMMAND", "score").split()), **options)
    n_commands = 0
    for language, block in blocks:
        if language == "console":
            (command,) = re.findall(r"\A\$ (.*?[^\\])$", block, re.M | re.S)
            done = subprocess.run(command, shell=True, capture_output=True, text=True, **options)
            assert done.returncode == (2 if "sklearn-ap: error: " in block else 0), done.stderr
            n_commands += 1
        else:
            shell = ("python", "-c") if language == "python" else ("bash", "-ec")
            run(*shell, block, **options)
    assert n_commands == page.count("$ sklearn-ap ")
    assert (folder / "report.html").exists()
