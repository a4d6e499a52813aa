"""Records what GNU Octave gives for the loop of VOC 2007's kit; Octave is not MATLAB.

python tests/helpers/record_octave.py
"""

import json
import subprocess
from pathlib import Path

import numpy as np

FILE = Path(__file__).parents[1] / "data" / "octave.json"
# The end of VOCevaldet.m, with the labels of the sorted detections in the place of files.
PROGRAM = """
printf("%.17g ", 0:0.1:1); printf("\\n%s\\n", version());
for i = 1:rows(all_labels)
  tp = all_labels(i, :); fp = 1 - tp; npos = sum(tp);
  fp = cumsum(fp); tp = cumsum(tp); rec = tp/npos; prec = tp./(fp+tp);
  ap = 0;
  for t=0:0.1:1
    p = max(prec(rec>=t));
    if isempty(p) p = 0; end
    ap = ap + p/11;
  end
  printf("%.17g ", ap);
end
"""


def labels():
    """Of a hundred rankings without ties, from the top, with ten positives among thirty rows."""
    rng = np.random.default_rng(2007)
    return [rng.permutation([1] * 10 + [0] * 20).tolist() for _ in range(100)]


def record():
    matrix = "; ".join(" ".join(map(str, row)) for row in labels())
    program = f"all_labels = [{matrix}];{PROGRAM}"
    ran = subprocess.run(
        ["octave-cli", "--quiet", "--eval", program], capture_output=True, text=True, check=True
    )
    levels, version, values = ran.stdout.splitlines()
    answer = {
        "version": version,
        "levels": [float(each) for each in levels.split()],
        "labels": ["".join(map(str, row)) for row in labels()],
        "values": [float(each) for each in values.split()],
    }
    FILE.write_text(json.dumps(answer, indent=1) + "\n")


if __name__ == "__main__":
    record()
