"""A test that labels are a simple random sample of the rows, as the user says they are."""

from scipy.stats import ks_2samp

from sklearn_ap._questions.few_labels._labelled import Labelled

UNLIKE_PVALUE = 0.001  # random samples are warned of in 1 of 1,000 cases
FEWEST_ROWS = 10  # the fewest rows that SciPy's asymptotic test can tell apart


def are_scores_unlike(labelled: Labelled) -> bool:
    """Test whether the scores of labelled rows of one ranking are unlike those of the others."""
    score = labelled.score
    is_labelled = labelled.is_labelled
    if is_labelled.all() or is_labelled.size < FEWEST_ROWS:
        return False
    test = ks_2samp(score[is_labelled], score[~is_labelled], method="asymp")
    return bool(test.pvalue < UNLIKE_PVALUE)
