"""A function with all that it is told besides rows, and the choices that it then makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from sklearn_ap._inputs.options import check_choice, check_count, check_share
from sklearn_ap._types import Argument, Keywords
from sklearn_ap.compat._tools import DEFAULTS, Tool, all_options


class ChosenOption(NamedTuple):
    """An option that a function chooses, with the arguments that it reads."""

    option: str
    arguments: tuple[tuple[str, Argument], ...] = ()

    def __str__(self) -> str:
        given = (f"{name}={value}" for name, value in self.arguments if value is not None)
        arguments = ", ".join(given)
        return f"{self.option} ({arguments})" if arguments else self.option


Choices: TypeAlias = dict[str, ChosenOption]  # by the names of CHOICES


@dataclass(frozen=True, eq=False)
class Call:
    """A function with k and the other options that it is told."""

    tool: Tool
    k: float | None = None
    options: Keywords = field(default_factory=dict)

    def label(self, *notes: str) -> str:
        """Return the name of the function, with k and what else a reader must know."""
        texts = notes if self.k is None else (f"k={self.k}", *notes)
        return f"{self.tool.name} ({', '.join(texts)})" if texts else self.tool.name

    @cached_property
    def choices(self) -> Choices:
        """The choices of the function, with their arguments."""
        k = self.k if self.tool.takes_k else self.tool.k
        values = DEFAULTS | self.options | {"k": k, "definition": self.tool.definition}
        chosen = {}
        for choice, option in self.tool.choices.items():
            names = all_options()[choice, option].arguments
            chosen[choice] = ChosenOption(option, tuple((name, values[name]) for name in names))
        return chosen


def usual_call(tool: Tool, k: int) -> Call:
    """Call a function with k if it needs k."""
    return Call(tool, k if tool.needs_k else None)


def all_calls(tool: Tool, k: int) -> list[Call]:
    """Call a function without k, unless it needs k, and with k if it takes k."""
    return [Call(tool)] * (not tool.needs_k) + [Call(tool, k)] * tool.takes_k


def make_calls(
    tools: Sequence[Tool], k: Argument, given: Keywords, *, has_weights: bool
) -> list[Call]:
    """Call functions. Refuse options that no function takes, and values that none accepts."""
    names = " and ".join(dict.fromkeys(tool.name for tool in tools))
    known = {name for tool in tools for name in tool.options}
    for option, value in given.items():
        if option not in known:
            choices = ", ".join(sorted(known)) or "none"
            raise TypeError(
                f"{option!r} is no option of {names}. Its own options, besides k and "
                f"those of rows: {choices}."
            )
        _check_option(option, value)
    for tool in tools:
        if has_weights and not tool.takes_weights:
            raise ValueError(f"{tool.name} takes no sample_weight.")
        if k is None and tool.needs_k:
            raise ValueError(f"{tool.name} needs k: pass how many ranks count.")
    if k is not None and not any(tool.takes_k for tool in tools):
        raise ValueError(f"k is no option of {names}: leave it out (--k on the command line).")
    n_ranks = None if k is None else check_count("k", k)
    return [Call(tool, n_ranks if tool.takes_k else None, given) for tool in tools]


def _check_option(option: str, value: Argument) -> None:
    match DEFAULTS[option]:
        case str():
            check_choice(option, value, Literal["float32", "float64"])
        case bool():
            if not isinstance(value, bool):
                raise TypeError(f"{option} must be True or False, got {value!r}.")
        case int():
            if check_count(option, value) < 2:
                raise ValueError(f"{option} must be at least 2, got {value!r}.")
        case _:
            check_share(option, value)
