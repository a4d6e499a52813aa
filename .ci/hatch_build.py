"""Fills in what a package index needs: the README with absolute links."""

import re
import tomllib
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


def absolute(readme, source, version):
    """Make relative links and pictures absolute, as of this version."""
    page, picture = f"{source}/blob/v{version}/", f"{source}/raw/v{version}/"
    relative = r"\]\((?!https?:|#)"
    readme = re.sub(rf"(!\[[^]]*){relative}", rf"\1]({picture}", readme)
    return re.sub(relative, f"]({page}", readme)


class Hook(MetadataHookInterface):
    """The README."""

    def update(self, metadata):
        """Add it to what pyproject.toml says."""
        root = Path(self.root)
        source = tomllib.loads((root / "pyproject.toml").read_text())["project"]["urls"]["Source"]
        version = re.search(r'__version__ = "(.+)"', (root / "sklearn_ap/_version.py").read_text())
        text = absolute((root / "README.md").read_text(encoding="utf-8"), source, version[1])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
