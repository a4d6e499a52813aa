"""The comparison of segments of the rows, such as countries or months."""
