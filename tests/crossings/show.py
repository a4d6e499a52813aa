"""Print the call of a crossing, what came of it, and what the reference expects.

``python tests/crossings/show.py SEED NAME`` prints code that can be pasted into Python. SEED is
that of a case, or the name of a case of ``test_larger_samples.py``; NAME is that of a public
function or a command. README.md explains the words.
"""

import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE), str(HERE.parent / "helpers")]

from cases import make  # noqa: E402
from entrances import ENTRANCES, difference, numbers_by_name, outcome  # noqa: E402
from test_larger_samples import CASES  # noqa: E402
from transcript import Transcript  # noqa: E402


def show(entrance, case):
    with Transcript() as told:
        try:
            given = numbers_by_name(entrance.call(case))
        except Exception:  # its text is in the outcome
            given = None
    print(told.code())
    expected = {} if given is None else numbers_by_name(entrance.expected(case))
    for name, number in expected.items():
        is_wrong = difference({name: given[name]}, {name: number}, entrance.tolerance)
        both = f"came {told.code_of(given[name])}, expected {told.code_of(number)}"
        print(f"# {name}{' is wrong' if is_wrong else ''}: {both}")
        if is_wrong and hasattr(told.last, name):
            all_digits = ".tolist()" if hasattr(getattr(told.last, name), "tolist") else ""
            print(f"print(found.{name}{all_digits})")
    ended = outcome(entrance, case)
    print(f"print(found)\n# The call is {ended.kind}. {ended.text}".rstrip())


def main(seed, name):
    """Show the first call of the table with this name that is wrong, or the first one."""
    case = CASES[seed] if seed in CASES else make(int(seed))
    parts = [(each, each.part_of(case)) for each in ENTRANCES if name == each.line]
    taken = [(entrance, part) for entrance, part in parts if part is not None]
    wrong = [each for each in taken if outcome(*each).kind not in ("right", "refused")]
    if taken:
        show(*(wrong or taken)[0])
    else:
        print(f"No line of entrances.py with the name {name!r} takes the case {seed}.")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*sys.argv[1:])
