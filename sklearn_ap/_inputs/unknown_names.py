"""What to say of names that people look for here: of other scores, and near ones."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

# What a name contains, and where that score is.
ELSEWHERE = {
    "ndcg|discountedcumulative": "For nDCG use sklearn.metrics.ndcg_score.",
    "mrr|reciprocalrank|reciprank": (
        "The mean reciprocal rank is not here. If each query has one positive, it is the average "
        "precision: use average_precision_score(..., queries=...)."
    ),
    "rocauc|aucroc|auroc|curve='roc'|curve=\"roc\"": (
        "For the area under the ROC curve use sklearn.metrics.roc_auc_score."
    ),
}


def elsewhere(name: str) -> str | None:
    """Where a score is that is not here, if it is one that people look for."""
    letters = re.sub(r"[\s_-]", "", name.lower())
    return next((where for what, where in ELSEWHERE.items() if re.search(what, letters)), None)


def near_names(name: str, known: Iterable[str], all_of_them: str) -> str:
    """Say which known names are like this one, or what lists all of them."""
    known = list(known)
    longer = [each for each in known if len(name) > 2 and name in each]
    near = list(dict.fromkeys(longer + get_close_matches(name, known, n=3)))[:3]
    return f"Near it: {', '.join(near) or f'none; {all_of_them} lists all'}."
