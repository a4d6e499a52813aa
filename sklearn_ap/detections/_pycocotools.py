"""What is asked of pycocotools, which need not be installed."""

import io
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, TypeAlias

from sklearn_ap._extras import LazyModule
from sklearn_ap._types import Argument

# Types of pycocotools, and of the evaluators beside it.
Coco: TypeAlias = Any
CocoEval: TypeAlias = Any
CocoParams: TypeAlias = Any
ImageMatches: TypeAlias = dict[str, Any]  # an entry of evalImgs, for a class of an image
JsonValue: TypeAlias = Any

coco_module = LazyModule("pycocotools.coco", "from_coco", "coco")
cocoeval_module = LazyModule("pycocotools.cocoeval", "from_coco", "coco")


@contextmanager
def errors_of(source: Argument) -> Iterator[None]:
    """Let pycocotools work without its prints, and give all that it raises one type."""
    try:
        with redirect_stdout(io.StringIO()):
            yield
    except (OSError, ImportError):
        raise
    except Exception as error:  # it raises many types, and Exception itself
        kind = "" if type(error) is ValueError else f"{type(error).__name__}: "
        reason = str(error).rstrip(".")
        raise ValueError(f"{source} cannot be read as COCO's: {kind}{reason}.") from error


def coco_of(dataset: dict[str, JsonValue]) -> Coco:
    coco = coco_module.COCO()
    coco.dataset = dataset
    coco.createIndex()
    return coco


def as_pycocotools(coco: Coco) -> Coco:
    """Return a COCO of pycocotools, which reads other fields of it than other tools do."""
    if isinstance(coco, coco_module.COCO):
        return coco
    dataset = coco.dataset  # once: some tools make it anew
    annotations = [*map(dict, dataset["annotations"])]  # pycocotools writes into them
    return coco_of({**dataset, "annotations": annotations})
