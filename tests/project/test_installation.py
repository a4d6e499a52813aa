"""What is said of packages that are not installed."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from sklearn_ap._extras import PACKAGES, import_extra

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize("extra", PACKAGES)
def test_missing_package_error_names_the_packages_of_its_extra(monkeypatch, extra):
    there = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    names = [re.sub(r">=.*", "", each) for each in there[extra]]
    quoted = [f"'{name}'" if "[" in name else name for name in names]
    monkeypatch.setitem(sys.modules, "nothing", None)
    with pytest.raises(ImportError, match=r"^This needs nothing, which is not") as raised:
        import_extra("nothing", "This", extra)
    assert str(raised.value).endswith(f": pip install {' '.join(quoted)}.")


def test_a_package_that_is_broken_is_not_called_missing(monkeypatch, tmp_path):
    (tmp_path / "broken.py").write_text("raise ImportError('it was built for NumPy 1')")
    monkeypatch.syspath_prepend(tmp_path)
    text = r"^This needs broken, which cannot be imported \(it was built for NumPy 1\): pip"
    with pytest.raises(ImportError, match=text):
        import_extra("broken", "This", "plot")
