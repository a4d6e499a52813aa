"""The command line: files in, results of public functions out.

``arguments`` has the commands and their flags. ``commands`` answers each: it reads ``_predictions``
from ``_file_columns``, asks public functions, tests what ``--require`` asks for (``_gates``), and
has the answer written (``_output``).
"""
