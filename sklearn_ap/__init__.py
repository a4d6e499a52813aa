"""Average precision, every definition under its own name, in scikit-learn's conventions.

- Score predictions: ``average_precision_score``, ``average_precision_at_k_score``
- How certain is the score? ``average_precision_interval``, ``chance_test``
- Is a model better? ``compare_average_precision``, ``best_average_precision``, ``compare_segments``
- Did the score change between two samples? ``compare_independent``
- Select models in scikit-learn: ``get_scorer``
- Choose a threshold: ``operating_point``
- Choose rows to label: ``rows_to_label``
- Draw the curve: ``AveragePrecisionDisplay``
- Summarize all this on one page: ``report``
- Explain why tools differ: ``compat``
- Count data that does not fit in memory: ``large``
"""

from importlib import import_module
from importlib.util import find_spec

from sklearn_ap._version import __version__ as __version__


# A name is imported when it is first asked for, so that the command line need not wait for
# scikit-learn to print its version or its help. __init__.pyi tells type checkers the names.
def __getattr__(name: str) -> object:
    if name.isidentifier() and find_spec(f"{__name__}.{name}"):
        return import_module(f"{__name__}.{name}")
    public = import_module(f"{__name__}._public")
    if name not in ("__all__", *public.__all__):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(public, name)
    return globals()[name]


def __dir__() -> list[str]:
    return ["__version__", *import_module(f"{__name__}._public").__all__]
