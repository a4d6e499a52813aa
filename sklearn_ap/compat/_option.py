"""One way to make one of the six choices."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any

from sklearn_ap.definitions import Heights


@dataclass(frozen=True)
class Option:
    """Why it changes the number, in a sentence, and the function that makes the choice.

    Arguments without a place are those of the tool's function, or the start of the curve.
    """

    why: str
    function: Callable[..., Any]
    needs_envelope: bool = False
    # The definition of the first k ranks with this choice. It says what a tied block that rank k
    # cuts adds; None lets its share count at the precision of the whole block.
    top: Callable[[Any], Heights] | None = None
    # How many levels of recall are reached at each threshold of counts, and how many there are.
    levels: Callable[..., tuple[Any, int]] | None = None

    @cached_property
    def arguments(self) -> list[str]:
        """The names of the arguments that have no place."""
        parameters = signature(self.function).parameters.values()
        return [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]

    def apply(self, options: dict[str, Any], *given: Any) -> Any:
        """Make the choice, with those of the options that the function reads."""
        return self.function(*given, **{name: options[name] for name in self.arguments})
