"""One reader of files, for the command line, ``large`` and ``retrieval``.

pyarrow, which an extra installs, is imported where it is used. Without it, Python reads text.
"""
