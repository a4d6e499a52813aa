"""One reader of files, one progress bar, and one text for packages that are not installed.

It stands under the command line and ``large``, and imports nothing else of this package. pyarrow
and tqdm, which an extra installs, are imported where they are used.
"""

__all__ = ["cells", "extras", "formats", "paths", "progress", "reader"]
