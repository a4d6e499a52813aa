"""Writes the oldest versions that pyproject.toml allows, as constraints of an installer.

python .ci/oldest_versions.py FILE [EXTRA ...]: those that the package needs, and these extras.
"""

import re
import sys
import tomllib
from pathlib import Path

target, *extras = sys.argv[1:]
project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
wanted = [*project["dependencies"]]
for extra in extras:
    wanted += project["optional-dependencies"][extra]
pins = []
for requirement in wanted:
    name, _, version = re.sub(r"\[.*\]", "", requirement).partition(">=")  # dask[array]>=2024.8
    if version:
        pins.append(f"{name}=={version}.0\n")
Path(target).write_text("".join(pins))
