"""Objects and boxes that pycocotools or a similar tool matched, as labels and scores."""

from sklearn_ap.detections._coco import from_coco
from sklearn_ap.detections._matched import MatchedDetections

__all__ = ["MatchedDetections", "from_coco"]
