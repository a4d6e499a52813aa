"""Files as arrays, by pyarrow: for the command line, ``large``, ``retrieval`` and ``detections``.

``sources`` finds files and opens them, ``formats`` reads each format, in batches of rows,
``tables`` gives the rows of all files, and ``cells`` are their columns as numbers or names. A new
format has a suffix in ``sources`` and a reader in ``formats``.
"""
