"""Errors that tell of what a user passed. All others are faults, and pass through the package."""


class InputError(ValueError):
    """What was passed is refused: the text says why, and what to pass.

    It tells of data and options, and never of a fault of the package, which raises other errors.
    Errors of scikit-learn, of your estimators and of your definitions pass unchanged.
    """


class InputTypeError(InputError, TypeError):
    """A type is refused, so it is a ``TypeError``, too."""


class UnsuitedDefinitionError(InputError):
    """A definition does not go with a prevalence, with clusters or with a mean of columns."""


class MissingPackageError(ImportError):
    """A package that only an extra has is not installed, or cannot be imported."""
