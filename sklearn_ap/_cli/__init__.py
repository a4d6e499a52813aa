"""The command line: files in, results of public functions out.

``arguments`` has the table of commands: their flags and their help; ``statuses`` are those with
which the program ends. ``commands`` has the function that answers each: it reads ``_predictions``
by ``_labels_and_names``, or, where the counts of one model are enough, counts them some rows at a
time (``_counted``), asks public functions, judges what ``--require`` asks for (``_gates``, and
``_times`` for the latest time), and prints its answer (``_printed_answers``, with the line on what
was required). ``_unused_columns`` finds columns that no flag names; ``_report/not_used.py`` writes
them.

A new option of a public function is a flag of its name in ``arguments``, which the function of each
command that takes it hands on by ``passed_options``.
"""
