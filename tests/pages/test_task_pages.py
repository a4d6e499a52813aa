"""Pages whose code needs other libraries: it runs for real, where these are installed."""

import doctest
import json
from pathlib import Path

import numpy as np
import pytest
import sklearn.metrics

from sklearn_ap import average_precision_score, detections
from tests.helpers.pages import (
    DOCS,
    blocks,
    failures,
    imported_or_skipped,
    leave_out_blocks_with_needs,
)

NEEDS = {(page.name, code.needs): None for page in DOCS.glob("*.md") for code in blocks(page.name)}


def test_doctests_skip_only_blocks_that_need_a_package():
    blocks = ("```python\n>>> 1\n1\n\n```", "```python needs=nothing\n>>> 2\n2\n\n```")
    page = "\n\n".join([*blocks, blocks[0].replace("1", "3")])
    test = doctest.DocTestParser().get_doctest(page, {}, "page", None, 0)
    leave_out_blocks_with_needs(test, page)
    assert [example.want for example in test.examples] == ["1\n", "3\n"]


@pytest.mark.parametrize(("page", "package"), sorted(key for key in NEEDS if key[1]))
@pytest.mark.filterwarnings("ignore")  # those of the packages
def test_page_blocks_that_need_a_package_run(page, package, tmp_path, monkeypatch):
    imported_or_skipped(package)
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    known = {}
    for code in blocks(page):
        if code.needs in (None, package):
            assert not failures(page, code, known)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of ten images
def test_detections_page_reproduces_the_pycocotools_score(tmp_path, monkeypatch):
    """The first block of the page, on files: its table has COCO's own numbers."""
    imported_or_skipped("pycocotools")
    recorded = json.loads((Path(__file__).parents[1] / "data" / "coco.json").read_text())
    files = {"instances_val2017": recorded["ground_truth"]} | recorded["results"]
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    monkeypatch.chdir(tmp_path)
    (take,) = blocks("detections.md", under="From pycocotools")
    (printed,) = blocks("detections.md", under="From pycocotools", language="text")
    exec(take, known := {})
    expected = recorded["evaluated"]["first"]["stats"][:3]
    summary = known["coco"].summary()
    assert summary.estimate[:3] == pytest.approx(expected, abs=1e-12)
    rows = printed.splitlines()[2:]
    assert [row[:9].strip() for row in rows] == [name for _, name in summary.names[:6]]


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of few images
@pytest.mark.parametrize("first", [0, 1])  # the number of the first class: YOLOv5, Ultralytics
def test_yolo_recipe_has_the_boxes_of_its_text_files(tmp_path, monkeypatch, first):
    imported_or_skipped("pycocotools")
    image = imported_or_skipped("PIL.Image")
    rng, images, boxes, predictions = np.random.default_rng(4), [], [], []
    for folder in ("images/val", "labels/val"):
        (tmp_path / folder).mkdir(parents=True)
    for number in range(30):
        name = number if first else f"image_{number}"
        stem = f"{number:06}" if first else name
        images.append({"id": name})
        size = np.array([80 + number, 60])
        image.new("RGB", tuple(size.tolist())).save(tmp_path / "images/val" / f"{stem}.png")
        lines = []
        for _ in range(number % 4):  # the first image has no file of labels
            kind, corner, sides = rng.integers(2), rng.uniform(0, 0.5, 2), rng.uniform(0.2, 0.5, 2)
            lines.append(" ".join(map(str, [kind, *(corner + sides / 2), *sides])))
            box = np.concatenate((corner * size, sides * size))
            in_pixels = {"image_id": name, "category_id": int(kind) + first, "bbox": box.tolist()}
            area = {"id": len(boxes) + 1, "area": box[2] * box[3], "iscrowd": 0}
            boxes.append(in_pixels | area)
            for moved in rng.normal(0, 3, (rng.integers(3), 4)):
                near = {"bbox": (box + moved).tolist(), "score": rng.random()}
                predictions.append(in_pixels | near)
        if lines:
            (tmp_path / "labels/val" / f"{stem}.txt").write_text("\n".join(lines))
    (tmp_path / "predictions.json").write_text(json.dumps(predictions))
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("detections.md", under="From YOLO")
    exec(code.replace("first = 1", f"first = {first}"), known := {})
    classes = [{"id": first, "name": "car"}, {"id": first + 1, "name": "dog"}]
    truth = {"images": images, "annotations": boxes, "categories": classes}
    (tmp_path / "boxes.json").write_text(json.dumps(truth))
    expected = detections.from_coco("boxes.json", "predictions.json").class_intervals("predictions")
    found = known["coco"].class_intervals("predictions")
    assert found.names == ("car", "dog")
    np.testing.assert_allclose(found.estimate, expected.estimate, atol=1e-12)
    assert (found.estimate < 1).all()


RANKED = np.array([0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1])
# Recorded: pytrec_eval's ndcg_cut_3 and ndcg_cut_10, and rdkit's CalcBEDROC.
OF_TOOLS = {
    ("queries.md", "NDCG", 3): 0.5307212739772434,
    ("queries.md", "NDCG", 10): 0.5147714448836774,
    ("molecules.md", "BEDROC", 20.0): 0.20657261757850717,
    ("molecules.md", "BEDROC", 5.0): 0.4965910961783127,
}


@pytest.mark.parametrize(("page", "name", "option"), OF_TOOLS)
def test_classes_to_copy_give_the_numbers_of_other_tools(page, name, option):
    (code,) = (each for each in blocks(page) if f"class {name}" in each)
    known = {"np": np}
    for statement in doctest.DocTestParser().get_examples(code)[:3]:  # two imports, and the class
        exec(statement.source, known)
    measure, scores = known[name](option), -np.arange(RANKED.size)
    found = average_precision_score(RANKED, scores, definition=measure)
    assert found == pytest.approx(OF_TOOLS[page, name, option], abs=1e-12)
    if name == "BEDROC":  # it looks at shares of the rows, whatever their weight
        twice = {"sample_weight": np.full(RANKED.size, 2.0)}
        assert average_precision_score(RANKED, scores, definition=measure, **twice) == found


def test_the_mixin_for_lightning_scores_all_batches():
    torch = imported_or_skipped("torch")
    known = {"average_precision_score": average_precision_score}
    (code,) = blocks("training.md", under="Lightning")
    assert not failures("training.md", code, known)

    class Module(known["ScoresItself"], torch.nn.Linear):
        def log(self, name, value):
            self.logged = {name: value}

    module, X, y = Module(3, 1), torch.randn(100, 3), (torch.arange(100) % 3 == 0).int()
    batches = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, y), batch_size=30)
    module.on_validation_epoch_start()
    for batch in batches:
        module.validation_step(batch, 0)
    module.on_validation_epoch_end()
    expected = sklearn.metrics.average_precision_score(y.numpy(), module(X)[:, 0].detach().numpy())
    assert module.logged == {"val_ap": pytest.approx(expected, abs=1e-12)}
