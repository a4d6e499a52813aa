"""Cross entrances with cases: ``python tests/crossings/run.py CALLS [FIRST_SEED]``."""

import os
import sys
from collections import Counter
from itertools import count
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE), str(HERE.parent / "helpers")]

from cases import make  # noqa: E402
from entrances import ENTRANCES, kind_of, outcome  # noqa: E402


def main(n_calls, first=0):
    """Print the calls of each entrance, how they ended, and the first wrong ones of a kind."""
    calls, ended, kinds, seeds = Counter(), Counter(), Counter(), {}
    for seed in count(first):
        case = make(seed)
        for entrance in ENTRANCES:
            if (part := entrance.part_of(case)) is not None:
                found = outcome(entrance, part)
                name = entrance.name
                calls[name] += 1
                ended[found.kind] += 1
                if found.kind != "right":
                    kind = (name, found.kind, kind_of(found.text))
                    kinds[kind] += 1
                    seeds.setdefault(kind, []).append((seed, found.text))
        if calls.total() >= n_calls:
            break
    print(*(f"{n:7,} {name}" for name, n in calls.most_common()), sep="\n")
    print("\nhow they ended:", dict(ended), "\n")
    for kind, n in kinds.most_common():
        print(f"{n:6,}  {' | '.join(kind)}")
        for seed, text in seeds[kind][:3]:
            print(f"            seed {seed}: {text[:300]}")
    return sum(n for (_, how, _), n in kinds.items() if how != "refused")


if __name__ == "__main__":
    raise SystemExit(bool(main(*map(int, sys.argv[1:] or [2000]))))
