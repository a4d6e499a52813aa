"""One way to make one of the six choices."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import TypeAlias

from sklearn_ap._types import Argument, Array, Keywords
from sklearn_ap.definitions import Definition

# Its argument and its result are rankings, counts or curves: each choice has its own.
ChoiceFunction: TypeAlias = Callable[..., Argument]


@dataclass(frozen=True)
class Option:
    """A reason why the number changes, in a sentence, and the function that makes the choice.

    Its keyword arguments are those of the tool's function, or the start of the curve.
    """

    why: str
    function: ChoiceFunction
    needs_envelope: bool = False
    # The definition of the first k ranks with this choice, for a tied block that rank k cuts. With
    # None, the share of the block within the ranks counts at the precision of the whole block.
    definition_at_k: Callable[[Argument], Definition] | None = None
    # Counts the levels of recall that are reached at each threshold, and all levels.
    levels: Callable[..., tuple[Array, int]] | None = None

    @cached_property
    def arguments(self) -> list[str]:
        """The names of the keyword arguments."""
        parameters = signature(self.function).parameters.values()
        return [
            parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY
        ]

    def apply(self, options: Keywords, value: Argument) -> Argument:
        """Make the choice, with those of the options that the function reads."""
        return self.function(value, **{name: options[name] for name in self.arguments})
