"""One way to make one of the six choices."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Option:
    """Why it changes the number, in a sentence, and the function that makes the choice.

    Some options need another choice besides: a start of the curve, or the envelope. Some read
    arguments of the tool's function, by name.
    """

    why: str
    function: Callable[..., Any]
    needs_start: bool = False
    needs_envelope: bool = False
    arguments: tuple[str, ...] = ()

    def apply(self, options: dict[str, Any], *given: Any) -> Any:
        """Make the choice, with those of the tool's options that the function reads."""
        return self.function(*given, **{name: options[name] for name in self.arguments})
