"""Pages whose code needs other libraries: it runs for real, where these are installed."""

import subprocess
import sys

import numpy as np
import pytest
from pages import blocks, failures

from sklearn_ap import average_precision_score, compat, interpolated_average_precision_score

LIBRARIES = ("MLflow", "Optuna", "skore")


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.filterwarnings("ignore")  # those of the libraries
def test_tracking(library, tmp_path, monkeypatch):
    pytest.importorskip(library.lower())
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    known = {}
    for code in blocks("tracking.md", under="") + blocks("tracking.md", under=library):
        assert not failures("tracking.md", code, known)


@pytest.mark.parametrize("n_digits", [1, 16])
def test_detections_of_pycocotools(n_digits):
    """The table of the page gives COCO's own number, with missed objects and ignored ones.

    With one digit, scores are tied, and a class has 40 objects, so that recalls fall on levels.
    """
    coco = pytest.importorskip("pycocotools.coco").COCO()
    from pycocotools.cocoeval import COCOeval

    rng, objects, boxes, is_rounded = np.random.default_rng(0), [], [], n_digits == 1
    for i in range(400):
        image, category = int(rng.integers(40)), int(rng.integers(1, 5))
        category = 1 if is_rounded and i < 40 else category + is_rounded * (category == 1)
        place = {"image_id": image, "category_id": category, "bbox": [10 * i, 0, 8, 8]}
        if rng.random() < 0.5 or category == is_rounded:
            is_ignored = int(rng.random() < 0.1 and category != is_rounded)
            objects.append(place | {"id": i + 1, "area": 64, "iscrowd": is_ignored})
        if rng.random() < 0.7 and category != 4:  # never detected
            boxes.append(place | {"score": round(float(rng.random()), n_digits)})
    coco.dataset = {
        "info": {},
        "images": [{"id": i} for i in range(40)],
        "categories": [{"id": i} for i in range(1, 5)],
        "annotations": objects,
    }
    coco.createIndex()
    run = COCOeval(coco, coco.loadRes(boxes), "bbox")
    for step in (run.evaluate, run.accumulate, run.summarize):
        step()
    known = {"np": np}
    (code,) = [code for code in blocks("detections.md") if code.startswith("def table")]
    exec(code, known)
    _, category, is_object, score = known["table"](run)
    found = interpolated_average_precision_score(
        is_object, score, queries=category, recall_levels=101
    )
    assert (found == pytest.approx(run.stats[1], abs=1e-12)) is not is_rounded
    value = compat.score("COCO", is_object, score, queries=category)
    assert value == pytest.approx(run.stats[1], abs=1e-9)


TWO_PROCESSES = """
import sys
import torch
import torch.distributed
{code}
rank = int(sys.argv[1])
meet = "file://" + sys.argv[2]
torch.distributed.init_process_group("gloo", init_method=meet, rank=rank, world_size=2)
generator = torch.Generator().manual_seed(0)
labels = (torch.rand(1000, generator=generator) < 0.1).int()
scores = torch.randn(1000, generator=generator) + labels
mine = slice(rank, None, 2)
print(score_of_all(labels[mine], scores[mine]), average_precision_score(labels, scores))
"""


def test_two_processes_of_pytorch(tmp_path):
    pytest.importorskip("torch")
    (code,) = blocks("training.md", under="Several processes")
    script = tmp_path / "train.py"
    script.write_text(TWO_PROCESSES.format(code=code))
    run = [sys.executable, str(script)]
    processes = [
        subprocess.Popen([*run, str(rank), str(tmp_path / "meet")], stdout=subprocess.PIPE)
        for rank in range(2)
    ]
    for process in processes:
        found, expected = process.communicate(timeout=120)[0].split()
        assert float(found) == pytest.approx(float(expected), abs=1e-12)


def test_validation_in_pytorch_and_the_mixin_for_lightning_score_all_batches():
    torch = pytest.importorskip("torch")
    known = {}
    exec(blocks("training.md", under="PyTorch")[0], known)
    exec(blocks("training.md", under="Lightning")[0], known)

    class Module(known["ScoresItself"], torch.nn.Linear):
        def log(self, name, value):
            self.logged = {name: value}

    module, X, y = Module(3, 1), torch.randn(100, 3), (torch.arange(100) % 3 == 0).int()
    batches = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, y), batch_size=30)
    module.on_validation_epoch_start()
    for batch in batches:
        module.validation_step(batch, 0)
    module.on_validation_epoch_end()
    expected = average_precision_score(y, module(X)[:, 0].detach())
    assert module.logged == {"val_ap": pytest.approx(expected, abs=1e-12)}
    assert known["validate"](module, batches) == pytest.approx(expected, abs=1e-12)
