"""Fills in what a package index needs: the README with absolute links, and the project's addresses.

The address of the repository is known where a release is built: GITHUB_REPOSITORY holds it. Without
it, links stay as they are.
"""

import os
import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


def absolute(readme, repository, version):
    """Make relative links and pictures absolute, as of this version."""
    page = f"https://github.com/{repository}/blob/v{version}/"
    picture = f"https://raw.githubusercontent.com/{repository}/v{version}/"
    relative = r"\]\((?!https?:|#)"
    readme = re.sub(rf"(!\[[^]]*){relative}", rf"\1]({picture}", readme)
    return re.sub(relative, f"]({page}", readme)


class Hook(MetadataHookInterface):
    """The README and the addresses."""

    def update(self, metadata):
        """Add them to what pyproject.toml says."""
        root = Path(self.root)
        text = (root / "README.md").read_text(encoding="utf-8")
        version = re.search(r'__version__ = "(.+)"', (root / "sklearn_ap/__init__.py").read_text())
        repository = os.environ.get("GITHUB_REPOSITORY")
        metadata["urls"] = {}
        if repository:
            address = f"https://github.com/{repository}"
            text = absolute(text, repository, version[1])
            metadata["urls"] = {
                "Source": address,
                "Changelog": f"{address}/blob/main/docs/changelog.md",
                "Issues": f"{address}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
