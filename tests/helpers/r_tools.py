"""Functions of R's packages, called in one R that stays open: those of ``R_CALLS``."""

import math
import shutil
import subprocess
from functools import cache

import numpy as np

# By the name of the entry: what R evaluates, with labels y, scores s and weights w.
R_CALLS = {
    "ROCR.aucpr": 'ROCR::performance(ROCR::prediction(s, y), "aucpr")@y.values[[1]]',
    "MLmetrics.PRAUC": "MLmetrics::PRAUC(s, y)",
    "PRROC.auc.integral": "PRROC::pr.curve("
    "s, s, weights.class0 = w * y, weights.class1 = w * (1 - y))$auc.integral",
    "PRROC.auc.davis.goadrich": "PRROC::pr.curve(s[y == 1], s[y == 0])$auc.davis.goadrich",
    "precrec.evalmod": "precrec::auc(precrec::evalmod(scores = s, labels = y))$aucs[2]",
    "PerfMeas.AUPRC": "PerfMeas::AUPRC(list(PerfMeas::precision.at.all.recall.levels(s, y)))[[1]]",
    "MLeval.evalm": "MLeval::evalm(data.frame("
    'n = 1 - s, p = s, obs = ifelse(y == 1, "p", "n")), silent = TRUE, showplots = FALSE, '
    'positive = "p")$stdres[[1]]["AUC-PR", "Score"]',
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
    error = function(error) paste("R error:", conditionMessage(error)))
  cat("\nanswer:", gsub("\n", " ", answer[1]), "\n")
  flush(stdout())
}
"""


@cache
def started():
    asked = ["Rscript", "--vanilla", "-e", LOOP]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(asked, text=True, **pipes)


def answer_of(call, y=(), s=(), w=()):
    """What R prints for a call."""
    process = started()
    columns = (" ".join(repr(float(value)) for value in values) for values in (y, s, w))
    process.stdin.write("\t".join((*columns, call)) + "\n")
    process.stdin.flush()
    while not (line := process.stdout.readline()).startswith("answer: "):
        if not line:
            raise EOFError("R has ended")
    return line.removeprefix("answer: ").strip()


def r_function(name):
    def run(y, s, sample_weight=None):
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        answer = answer_of(R_CALLS[name], y, s, weight)
        if answer.startswith("R error:"):
            raise RuntimeError(answer)
        return math.nan if answer in ("NA", "NaN") else float(answer)

    return run


@cache
def r_version(package):
    """The version of a package that R has, or None."""
    if shutil.which("Rscript") is None:
        return None
    found = answer_of(f"as.character(packageVersion('{package}'))")
    return None if found.startswith("R error") else found
