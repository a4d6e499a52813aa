"""Functions of R's packages, called in one R that stays open: those of ``R_CALLS``."""

import math
import shutil
from functools import cache

import numpy as np

from tests.helpers.other_languages import answer_of, started

# By the name of the entry: what R evaluates, with labels y, scores s and weights w.
R_CALLS = {
    "MLmetrics.PRAUC": "MLmetrics::PRAUC(s, y)",
    "PRROC.auc.integral": "PRROC::pr.curve("
    "s, s, weights.class0 = w * y, weights.class1 = w * (1 - y))$auc.integral",
    "precrec.evalmod": "precrec::auc(precrec::evalmod(scores = s, labels = y))$aucs[2]",
}
# Reads y, s, w and a call from each line, and prints a number, or the text of an error.
LOOP = r"""
numbers <- function(text) as.numeric(strsplit(text, " ")[[1]])
lines <- file("stdin", "r")
while (length(line <- readLines(lines, 1)) > 0) {
  part <- strsplit(line, "\t")[[1]]
  y <- numbers(part[1]); s <- numbers(part[2]); w <- numbers(part[3])
  answer <- tryCatch(
    suppressWarnings(suppressMessages(format(eval(parse(text = part[4])), digits = 17))),
    error = function(error) paste("error:", conditionMessage(error)))
  cat("\nanswer:", gsub("\n", " ", answer[1]), "\n")
  flush(stdout())
}
"""


@cache
def r():
    return started("Rscript", "--vanilla", "-e", LOOP)


def r_function(name):
    def run(y, s, sample_weight=None):
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        answer = answer_of(r(), y, s, weight, R_CALLS[name])
        return math.nan if answer in ("NA", "NaN") else float(answer)

    return run


@cache
def r_version(package):
    """The version of a package that R has, or None."""
    if shutil.which("Rscript") is None:
        return None
    try:
        return answer_of(r(), (), (), (), f"as.character(packageVersion('{package}'))")
    except RuntimeError:
        return None
