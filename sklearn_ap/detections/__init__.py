"""Objects and boxes that pycocotools or a similar tool matched, as labels and scores.

``_annotations`` reads files and lists, ``_matches`` says which box found which object and leaves
out what COCO ignores, and ``_rows`` makes a row of each. ``_coco`` has the function that asks them,
with the areas and overlaps of pycocotools. ``_matched`` has rows of any matching, and
``_coco_detections`` those of COCO, with its summary.
"""

from sklearn_ap.detections._coco import from_coco
from sklearn_ap.detections._coco_detections import CocoDetections
from sklearn_ap.detections._matched import MatchedDetections

__all__ = ["CocoDetections", "MatchedDetections", "from_coco"]
