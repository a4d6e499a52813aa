"""Objects and boxes that pycocotools matched, as labels and scores."""

from sklearn_ap.detections._detections import MatchedDetections, from_coco

__all__ = ["MatchedDetections", "from_coco"]
