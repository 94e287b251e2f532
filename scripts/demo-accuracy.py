#!/usr/bin/env python3
"""Compare the accuracy of Tally's outputs with onnxruntime's.

usage: demo-accuracy.py MODEL.onnx IMAGES.npy LABELS.npy LOGITS.npy

LOGITS is what the compiled library wrote for IMAGES. Exit status 1 unless both
get the same number of images right.
"""

import sys

import numpy as np
import onnxruntime


def main(model, images, labels, logits):
    labels = np.load(labels)
    ours = np.load(logits)
    session = onnxruntime.InferenceSession(
        model, providers=["CPUExecutionProvider"]
    )
    name = session.get_inputs()[0].name
    (theirs,) = session.run(None, {name: np.load(images)})
    if ours.shape != theirs.shape:
        sys.exit(f"error: {logits} has shape {ours.shape}, not {theirs.shape}")
    right = {}
    for who, scores in (("tally", ours), ("onnxruntime", theirs)):
        right[who] = int((scores.argmax(axis=1) == labels).sum())
        percent = 100 * right[who] / len(labels)
        print(f"{who:12} {right[who]} of {len(labels)} right ({percent:.2f} %)")
    agree = int((ours.argmax(axis=1) == theirs.argmax(axis=1)).sum())
    print(f"same digit on {agree} of {len(labels)} images; largest difference "
          f"of an output: {abs(ours - theirs).max():g}")  # fmt: skip
    return 0 if right["tally"] == right["onnxruntime"] else 1


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
