"""A release: one version everywhere, an index that has it, and a site beside older ones."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sklearn_ap

yaml = pytest.importorskip("yaml")  # of the group dev
ROOT = Path(__file__).parents[2]
VERSION = sklearn_ap.__version__
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text())
    for path in (ROOT / ".github" / "workflows").glob("*.yml")
}
INSTALL = ["README.md", "docs/index.md", "docs/get_started.md"]
NAMED = ["CITATION.cff", ".ci/conda/recipe.yaml", "docs/changelog.md", "sklearn_ap/_version.py"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the workflows run on Linux")


def step(workflow, job, name):
    steps = WORKFLOWS[workflow]["jobs"][job]["steps"]
    (found,) = (each["run"] for each in steps if name in each.get("name", ""))
    return found


def bash(commands, cwd, **names):
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", commands]
    return subprocess.run(command, cwd=cwd, env=names, capture_output=True, text=True, check=False)


def git(*command, cwd):
    subprocess.run(["git", *command], cwd=cwd, check=True, capture_output=True)


def test_version_agrees_in_all_files_and_the_changelog():
    changelog = (ROOT / "docs/changelog.md").read_text()
    name, day = re.search(r"^## (\S+) \((.*)\)$", changelog, re.M).groups()
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    released = str(citation.get("date-released", "unreleased"))
    recipe = yaml.safe_load((ROOT / ".ci/conda/recipe.yaml").read_text())
    assert (citation["version"], released) == (name, day)
    assert recipe["context"]["version"] == name == VERSION
    assert f"version = {{{name}}}" in (ROOT / "docs/reporting.md").read_text()  # for BibTeX


@pytest.fixture
def ready(tmp_path):
    for name in [*INSTALL, *NAMED, "pyproject.toml"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    text = (ROOT / "docs/contributing.md").read_text()
    (command,) = re.findall(r"^ *(sed -i .*)$", text, re.M)
    assert not bash(command, tmp_path).returncode
    changelog = tmp_path / "docs/changelog.md"
    changelog.write_text(changelog.read_text().replace("(unreleased)", "(2026-12-01)"))
    return tmp_path


def test_release_check_passes_only_with_consistent_files(ready):
    def check(tag=f"v{VERSION}", repository="sklearn-ap/sklearn-ap"):
        commands = step("release", "build", "The tag is the version")
        return bash(commands, ready, GITHUB_REF_NAME=tag, GITHUB_REPOSITORY=repository)

    assert not check().returncode
    assert check("v0.0.9").returncode == 1
    found = check(repository="somebody/sklearn-ap")
    assert "pyproject.toml names another repository" in found.stdout
    for name, old, new, text in (
        *((name, VERSION, "0.0.9", "") for name in NAMED),
        *(
            (name, "\n", "\nIt is not on PyPI yet.\n", "not on PyPI yet")
            for name in (*INSTALL, "docs/changelog.md")
        ),
        ("docs/changelog.md", "(2026-12-01)", "(unreleased)", "no date in the changelog"),
    ):
        before = (ready / name).read_text()
        (ready / name).write_text(before.replace(old, new))
        found = check()
        assert found.returncode == 1, name
        assert text in found.stdout
        (ready / name).write_text(before)


@pytest.mark.slow
def test_published_docs_keep_all_versions_with_the_highest_stable(tmp_path, monkeypatch):
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "nobody")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "nobody@example.org")
    git("init", "--bare", "origin.git", cwd=tmp_path)
    git("clone", "origin.git", "checkout", cwd=tmp_path)
    site, address = tmp_path / "site", "https://somebody.github.io/sklearn_ap"
    (site / "_static").mkdir(parents=True)

    def published(version):
        (site / "index.html").write_text(version)
        command = [sys.executable, ROOT / ".ci/publish_docs.py", site, version, address]
        subprocess.run(command, cwd=tmp_path / "checkout", check=True)
        root = tmp_path / f"branch after {version}"
        shutil.rmtree(root, ignore_errors=True)
        git("clone", "--branch", "gh-pages", "origin.git", root, cwd=tmp_path)
        files = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {path.relative_to(root).as_posix(): path.read_text() for path in files}

    assert "url=dev/" in published("dev")["index.html"]
    for version in ("0.9", "0.10", "0.8", "dev"):
        files = published(version)
    assert ".nojekyll" in files
    pages = {name: text for name, text in files.items() if name.endswith("/index.html")}
    expected = {f"{each}/index.html": each for each in ("dev", "0.8", "0.9", "0.10")}
    assert pages == expected | {"stable/index.html": "0.10"}
    assert "url=stable/" in files["index.html"]
    links = {"dev": "dev", "0.10 (stable)": "stable", "0.9": "0.9", "0.8": "0.8"}
    assert [(e["name"], e["url"]) for e in json.loads(files["switcher.json"])] == [
        (name, f"{address}/{folder}/") for name, folder in links.items()
    ]


def test_install_pages_of_a_release_use_pypi(ready):
    for name in INSTALL:
        commands = re.findall(r"^(?:git|pip) .*$", (ready / name).read_text(), re.M)
        assert commands[0] == 'pip install "sklearn-ap[plot,table]"', name


def test_nothing_is_uploaded_before_the_tests_of_its_tag_pass():
    jobs = WORKFLOWS["release"]["jobs"]
    assert jobs["tests"]["uses"] == "./.github/workflows/ci.yml"
    assert "workflow_call" in WORKFLOWS["ci"][True]  # YAML reads "on" as true
    uploads = {name for name, job in jobs.items() if "pypa/gh-action-pypi-publish" in str(job)}
    assert uploads == {"publish"}
    assert {*jobs["publish"]["needs"]} == {"build", "tests"}


def test_github_runs_the_steps_that_one_command_runs():
    jobs = WORKFLOWS["ci"]["jobs"]
    matrix = jobs["step"]["strategy"]["matrix"]
    steps = {*matrix["step"], *(each["step"] for each in matrix["include"]), *jobs} - {"step"}
    (listed,) = re.findall('^steps="(.*)"$', (ROOT / ".ci/run").read_text(), re.M)
    halves = {*listed.split(), "slow"} - {"slow-rest"}
    assert steps - {"coverage", "test", "more"} == halves


def test_conda_recipe_matches_project_metadata_and_archive(ready):
    recipe = yaml.safe_load((ROOT / ".ci/conda/recipe.yaml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    source = project["urls"]["Source"]
    url = recipe["source"]["url"]
    assert url == f"{source}/archive/refs/tags/v${{{{ version }}}}.tar.gz"
    assert recipe["about"]["homepage"] == source
    assert recipe["extra"]["recipe-maintainers"]
    assert recipe["source"]["sha256"] == "HASH_OF_THE_ARCHIVE"
    extras = project["optional-dependencies"]
    python, *needed = recipe["requirements"]["run"]
    spaced = [dependency.replace(">=", " >=") for dependency in project["dependencies"]]
    assert (python, needed) == ("python >=${{ python_min }}", spaced)
    of_extras = {each.replace(">=", " >=") for name in ("plot", "table") for each in extras[name]}
    there = {each.replace("-base", "") for each in recipe["requirements"]["run_constraints"]}
    assert there == of_extras
    expected = url.replace("${{ version }}", VERSION)
    commands = f"""
    curl() {{ [ "${{@: -1}}" = "{expected}" ] && echo the files > archive.tar.gz; }}
    {step("release", "recipe", "Fill in the hash")}"""
    repository = source.removeprefix("https://github.com/")
    names = {"GITHUB_REPOSITORY": repository, "GITHUB_REF_NAME": f"v{VERSION}"}
    found = bash(commands, ready, PATH=os.environ["PATH"], **names)
    assert not found.returncode, found.stderr
    filled = yaml.safe_load((ready / ".ci/conda/recipe.yaml").read_text())
    assert filled["source"]["sha256"] == hashlib.sha256(b"the files\n").hexdigest()
