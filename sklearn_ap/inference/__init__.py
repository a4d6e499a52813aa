"""Questions about scores: how certain they are, and how much data that takes.

Import from ``sklearn_ap``, not from here. A file is a question, with its public function first:
``interval``, ``comparison`` (with ``comparison_result``), ``independent`` and ``sample_size``. A
folder is one that takes several files: ``segments``, ``thresholds``, ``folds``, ``chance`` and
``few_labels``. ``scored_samples`` scores models for all of them, from rows, folds or few
labels; ``doubts`` says what makes a score or a sample doubtful.
"""
