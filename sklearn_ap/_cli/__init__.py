"""The command line: files in, results of public functions out.

``arguments`` has the commands and their flags. ``commands`` answers each: it reads ``_predictions``
by ``_labels_and_names``, asks public functions, tests what ``--require`` asks for (``_gates``), and
writes the answer.

A new option of a public function is a flag of its name in ``arguments``: the entry of ``FLAGS``,
and its name at each command that takes it.
"""
