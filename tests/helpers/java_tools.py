"""Functions of Java's libraries, called in one process that stays open."""

import shutil
import tempfile
from functools import cache
from importlib import resources
from pathlib import Path
from zipfile import ZipFile

import numpy as np

from tests.helpers.other_languages import answer_of, started

# Reads labels, scores and weights from each line, and prints Weka's area, or the text of an error.
LOOP = """
import java.util.*;
import weka.classifiers.evaluation.*;

class Loop {
    static double[] numbers(String text) {
        return Arrays.stream(text.split(" ")).mapToDouble(Double::parseDouble).toArray();
    }

    public static void main(String[] given) {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            String[] part = lines.nextLine().split("\\t");
            double[] y = numbers(part[0]), s = numbers(part[1]), w = numbers(part[2]);
            ArrayList<Prediction> rows = new ArrayList<>();
            for (int i = 0; i < y.length; i++)
                rows.add(new NominalPrediction(y[i], new double[] {1 - s[i], s[i]}, w[i]));
            String answer;
            try {
                answer = "" + ThresholdCurve.getPRCArea(new ThresholdCurve().getCurve(rows, 1));
            } catch (RuntimeException error) {
                answer = "error: " + error;
            }
            System.out.println("answer: " + answer);
        }
    }
}
"""


def jar():
    return str(resources.files("weka") / "lib" / "weka.jar")


def weka_version():
    with ZipFile(jar()) as file:
        return file.read("weka/core/version.txt").decode().strip().replace("-", ".")


@cache
def java():
    source = Path(tempfile.mkdtemp(), "Loop.java")
    source.write_text(LOOP)
    return started(shutil.which("java"), "-cp", jar(), source)


def weka_area(y, s, sample_weight=None):
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    return float(answer_of(java(), y, s, weight))
