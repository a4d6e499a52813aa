"""Puts a built site beside the other versions on the branch gh-pages of origin, and pushes it.

python3 .ci/publish_docs.py SITE VERSION ADDRESS, where VERSION is dev or X.Y, and ADDRESS is where
the branch is served, such as https://owner.github.io/repository. The branch has a folder for each
version, stable/ as a copy of the highest, switcher.json for the menu of versions, and a start page
that leads to stable/.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BRANCH = "refs/heads/gh-pages"
START = '<!doctype html><meta http-equiv="refresh" content="0; url={0}/"><a href="{0}/">{0}</a>\n'


def place(site, version, root):
    """Replace one version among all, and give the versions, the highest first."""
    shutil.rmtree(root / version, ignore_errors=True)
    shutil.copytree(site, root / version)
    found = [path.name for path in root.iterdir() if re.fullmatch(r"\d+\.\d+", path.name)]
    found.sort(key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    shutil.rmtree(root / "stable", ignore_errors=True)
    if found:
        shutil.copytree(root / found[0], root / "stable")
    return found


def menu(released, address):
    """Write what the menu of versions of each page reads."""

    def entry(version, name, folder, **more):
        return {"version": version, "name": name, "url": f"{address}/{folder}/", **more}

    first = [entry(each, f"{each} (stable)", "stable", preferred=True) for each in released[:1]]
    return [entry("dev", "dev", "dev"), *first, *(entry(each, each, each) for each in released[1:])]


def write(site, version, address, root):
    """Change the files of the branch."""
    released = place(site, version, root)
    (root / "switcher.json").write_text(json.dumps(menu(released, address), indent=1) + "\n")
    (root / "index.html").write_text(START.format("stable" if released else "dev"))
    (root / ".nojekyll").touch()  # without it, GitHub leaves out _static


def publish(site, version, address):
    """Commit on top of the branch as it is, and push."""
    folder = run("rev-parse", "--absolute-git-dir")
    parent = run("ls-remote", "origin", BRANCH).partition("\t")[0]
    with tempfile.TemporaryDirectory() as work:
        root = Path(work, "root")
        root.mkdir()
        names = {"GIT_DIR": folder, "GIT_WORK_TREE": str(root), "GIT_INDEX_FILE": f"{work}/index"}
        if parent:
            run("fetch", "--depth=1", "origin", BRANCH)
            run("read-tree", parent, **names)
            run("checkout-index", "--all", cwd=root, **names)
        write(site, version, address.rstrip("/"), root)
        run("add", "--all", "--force", cwd=root, **names)
        tree = run("write-tree", **names)
        above = ["-p", parent] if parent else []
        commit = run("commit-tree", tree, *above, "-m", f"The site of {version}", **names)
        run("push", "origin", f"{commit}:{BRANCH}")


def run(*command, cwd=None, **names):
    """Run a git command, and return what it prints."""
    environment = {**os.environ, **names}
    done = subprocess.run(
        ["git", *command], cwd=cwd, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.strip()


if __name__ == "__main__":
    publish(*sys.argv[1:])
