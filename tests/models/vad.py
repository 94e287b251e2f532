#!/usr/bin/env python3
"""Quantize the voice activity detector of the package silero-vad: the trained
weights of all its layers, in codes from the microphone to the chance of speech.

    silero-vad-s8.onnx         x [1, 1, 640] -> y [1, 1], h_in -> h_out, c_in -> c_out
    silero-vad-s8.inputs.npz   one step's inputs
    silero-vad-s8.frames.npy   a minute of talk [1875, 1, 1, 640], a frame per step

A frame is 512 new samples, the 64 before them, and the last 64 mirrored, which
the detector's own graph does first. It goes through a spectrum by a convolution
(4 positions of 129 sines and cosines), magnitudes, four convolutions and an LSTM,
whose state goes in and out as codes (`step.py`). Squares of the spectrum are
int16, as are the sums in the LSTM; all else is int8. Grids are calibrated on the
same network in floats, run over the recording.
"""

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

import fetch
import samples
import step

FORM = "silero_vad-6.2.3/src/silero_vad/data/silero_vad_16k_op15.onnx"
HOP, BINS, HIDDEN, MIRRORED = 128, 129, 128, 64
STRIDES = (1, 2, 2, 1)  # of the four convolutions, 3 wide with padding 1


def weights(archives):
    """The trained weights by the names that `run_float` and `make` use."""
    model = onnx.load_from_string(archives.read("silero-vad", FORM))
    found = {t.name.removeprefix("model."): numpy_helper.to_array(t)
             for t in model.graph.initializer}
    # PyTorch's order of gates is i, f, c, o; ONNX's i, o, f, c.
    order = np.concatenate([np.arange(HIDDEN) + HIDDEN * gate
                            for gate in (0, 3, 1, 2)])
    lstm = {name: found[f"decoder.rnn.{name}"][order] for name in (
        "weight_ih", "weight_hh", "bias_ih", "bias_hh")}
    layers = [tuple(found[f"encoder.{i}.reparam_conv.{part}"]
                    for part in ("weight", "bias")) for i in range(4)]
    return {"w": lstm["weight_ih"], "r": lstm["weight_hh"],
            "b": lstm["bias_ih"] + lstm["bias_hh"], "layers": layers,
            "basis": found["stft.forward_basis_buffer"],
            "head": (found["decoder.decoder.2.weight"][:, :, 0],
                     found["decoder.decoder.2.bias"])}


def frames(archives):
    """[frames, 1, 1, 640]: the recording, cut and mirrored."""
    every = samples.frames(samples.recording(archives))[:, None]
    return np.pad(every, [(0, 0)] * 3 + [(0, MIRRORED)], mode="reflect")


def convolved(x, weight, bias=0, stride=1, padding=1):
    """[channels, time] -> [channels, time]."""
    x = np.pad(x, ((0, 0), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(
        x, weight.shape[2], axis=1)[:, ::stride]
    return np.einsum("oik,itk->ot", weight, windows) + np.reshape(bias, (-1, 1))


def encoded(x, parts):
    """What the layers in front of the LSTM hold for one frame."""
    now = {"x": x, "spectrum": convolved(x[0], parts["basis"], 0, HOP, 0)}
    sine, cosine = now["spectrum"][:BINS] ** 2, now["spectrum"][BINS:] ** 2
    now["squares"] = now["power"] = sine + cosine
    now["layer"] = now["magnitude"] = np.sqrt(now["power"])
    for i, (layer, stride) in enumerate(zip(parts["layers"], STRIDES)):
        now["layer"] = now[f"layer{i}"] = np.maximum(
            convolved(now["layer"], *layer, stride), 0)
    return now


def run_float(every, parts):
    """What every tensor of the step holds: name -> array, frame by frame."""
    held, h, c = {}, np.zeros((1, HIDDEN)), np.zeros((1, HIDDEN))
    for x in every:
        now = encoded(x, parts)
        now.update(step.cell_in_floats(now.pop("layer").T, h, c, parts))
        h, c = now["h"], now["c"]
        now["seen"] = np.maximum(h, 0)
        now["chance"] = now["seen"] @ parts["head"][0].T + parts["head"][1]
        now["y"] = step.sigmoid(now["chance"])
        for name, value in now.items():
            held.setdefault(name, []).append(value)
    return {name: np.stack(values) for name, values in held.items()}


def spectrum(graph, parts):
    """x -> magnitudes [1, 129, 4] as reals on a grid."""
    x = graph.quantized("x", "x", graph.grid("x", shift=False))
    waves = graph.quantized("spectrum", graph.weighted(
        "Conv", "stft", x, parts["basis"], strides=[HOP]),
        graph.grid("spectrum", np.int16))
    grid = graph.grid("squares", np.int16)
    squares = [graph.quantized(name + ".square", graph.node(
        "Mul", name, [half, half]), grid) for name, half in zip(
            ("sine", "cosine"),
            graph.node("Split", "halves", [waves], 2, axis=1, num_outputs=2))]
    power = graph.quantized("power", graph.node("Add", "add", squares), grid)
    return graph.quantized("magnitude", graph.node("Sqrt", "root", [power]),
                           graph.grid("magnitude", shift=False))


def make(held, parts):
    graph = step.Step(held)
    x = spectrum(graph, parts)
    for i, ((weight, bias), stride) in enumerate(zip(parts["layers"],
                                                     STRIDES)):
        sums = graph.weighted("Conv", f"encoder{i}", x, weight, bias,
                              pads=[1, 1], strides=[stride])
        x = graph.quantized(f"layer{i}", graph.node(
            "Relu", f"activation{i}", [sums]),
            graph.grid(f"layer{i}", shift=False))
    row = graph.node("Flatten", "row", [x])
    graph.grids[row] = graph.grids[x]
    codes = graph.cell(row, parts)
    seen = graph.quantized("seen", graph.node(
        "Relu", "look", [graph.real("h_out", codes[0], step.UNIT)]), step.UNIT)
    chance = graph.quantized("chance", graph.product(
        "head", seen, *parts["head"]), graph.grid("chance"))
    y = graph.quantized("y", graph.node("Sigmoid", "squeeze", [chance]),
                        step.HALF)
    return graph.model(
        "silero-vad-s8",
        {"x": (TensorProto.FLOAT, list(held["x"].shape[1:])),
         **step.states(HIDDEN)},
        {"y": (y, TensorProto.FLOAT, [1, 1]),
         **step.next_states(codes, HIDDEN)})


def write(folder):
    archives = fetch.Archives(folder / "archives")
    every, parts = frames(archives), weights(archives)
    onnx.save(make(run_float(every, parts), parts),
              folder / "silero-vad-s8.onnx")
    np.save(folder / "silero-vad-s8.frames.npy", every)
    rng = np.random.default_rng(3)
    np.savez(folder / "silero-vad-s8.inputs.npz", x=every[300],
             h_in=rng.integers(-127, 128, (1, HIDDEN)).astype(np.int8),
             c_in=rng.integers(-30000, 30000, (1, HIDDEN)).astype(np.int16))


if __name__ == "__main__":
    step.write_from_command_line(__doc__, write)
