"""One reader of files, one progress bar, results as tables, and one text for missing packages.

It stands under the command line and ``large``, and imports nothing else of this package. pyarrow,
tqdm and pandas, which extras install, are imported where they are used.
"""

__all__ = ["cells", "extras", "formats", "paths", "progress", "reader", "result_table"]
