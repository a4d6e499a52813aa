"""One way to make one of the six choices."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any


@dataclass(frozen=True)
class Option:
    """Why it changes the number, in a sentence, and the function that makes the choice.

    Arguments without a place are those of the tool's function, or the start of the curve.
    """

    why: str
    function: Callable[..., Any]
    needs_envelope: bool = False

    @cached_property
    def arguments(self) -> list[str]:
        """The names of the arguments that have no place."""
        parameters = signature(self.function).parameters.values()
        return [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]

    def apply(self, options: dict[str, Any], *given: Any) -> Any:
        """Make the choice, with those of the tool's options that the function reads."""
        return self.function(*given, **{name: options[name] for name in self.arguments})
