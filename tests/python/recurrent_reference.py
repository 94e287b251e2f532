"""LSTM, GRU and RNN as ONNX defines them, in numpy and float64.

One sequence after the other, each as long as it is: no masks, no unrolling,
no sharing between gates. Where the standard leaves room: clip bounds what the
gates' functions take, input_forget makes the forget gate 1 - i, and a sequence
of no steps keeps its initial state.
"""

import numpy as np

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"],
            "RNN": ["Tanh"]}
# Name -> (function of x, alpha, beta; default alpha; default beta).
FUNCTIONS = {
    "Relu": (lambda x, a, b: np.maximum(x, 0), None, None),
    "Tanh": (lambda x, a, b: np.tanh(x), None, None),
    "Sigmoid": (lambda x, a, b: 1 / (1 + np.exp(-x)), None, None),
    "Softsign": (lambda x, a, b: x / (1 + np.abs(x)), None, None),
    "Softplus": (lambda x, a, b: np.log1p(np.exp(x)), None, None),
    "LeakyRelu": (lambda x, a, b: np.where(x >= 0, x, a * x), 0.01, None),
    "ThresholdedRelu": (lambda x, a, b: np.where(x > a, x, 0), 1.0, None),
    "Elu": (lambda x, a, b: np.where(x >= 0, x, a * np.expm1(x)), 1.0, None),
    "HardSigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), 0.2, 0.5),
    "Affine": (lambda x, a, b: a * x + b, None, None),
    "ScaledTanh": (lambda x, a, b: a * np.tanh(b * x), None, None),
}
WITH_ALPHA = ("LeakyRelu", "ThresholdedRelu", "Elu", "HardSigmoid", "Affine",
              "ScaledTanh")
WITH_BETA = ("HardSigmoid", "Affine", "ScaledTanh")


def functions_of(op, directions, attributes):
    """One list of functions per direction."""
    names = attributes.get("activations", DEFAULTS[op] * directions)
    alphas = list(attributes.get("activation_alpha", []))
    betas = list(attributes.get("activation_beta", []))
    result = []
    for name in names:
        function, alpha, beta = FUNCTIONS[name]
        if name in WITH_ALPHA and alphas:
            alpha = alphas.pop(0)
        if name in WITH_BETA and betas:
            beta = betas.pop(0)
        result.append(lambda x, f=function, a=alpha, b=beta: f(x, a, b))
    count = len(DEFAULTS[op])
    return [result[d * count:(d + 1) * count] for d in range(directions)]


def rnn_step(x, h, c, w, r, wb, rb, p, functions, bound, attributes):
    return functions[0](bound(w @ x + r @ h + wb + rb)), c


def gru_step(x, h, c, w, r, wb, rb, p, functions, bound, attributes):
    f, g = functions
    (wz, wr, wh), (rz, rr, rh) = np.split(w, 3), np.split(r, 3)
    (bz, br, bh), (cz, cr, ch) = np.split(wb, 3), np.split(rb, 3)
    z = f(bound(wz @ x + rz @ h + bz + cz))
    reset = f(bound(wr @ x + rr @ h + br + cr))
    if attributes.get("linear_before_reset"):
        n = g(bound(wh @ x + reset * (rh @ h + ch) + bh))
    else:
        n = g(bound(wh @ x + rh @ (reset * h) + ch + bh))
    return (1 - z) * n + z * h, c


def lstm_step(x, h, c, w, r, wb, rb, p, functions, bound, attributes):
    f, g, out = functions
    pi, po, pf = np.split(p, 3)
    i, o, forget, n = np.split(w @ x + r @ h + wb + rb, 4)
    i = f(bound(i + pi * c))
    forget = 1 - i if attributes.get("input_forget") else \
        f(bound(forget + pf * c))
    c = forget * c + i * g(bound(n))
    o = f(bound(o + po * c))
    return o * out(c), c


STEPS = {"LSTM": lstm_step, "GRU": gru_step, "RNN": rnn_step}


def run(op, x, w, r, b=None, lens=None, h0=None, c0=None, p=None,
        **attributes):
    """Y, Y_h and Y_c; the last one means something for LSTM only."""
    first = bool(attributes.get("layout"))
    if first:
        x = x.swapaxes(0, 1)
        h0 = None if h0 is None else h0.swapaxes(0, 1)
        c0 = None if c0 is None else c0.swapaxes(0, 1)
    (steps, batch, _), (directions, _, hidden) = x.shape, r.shape
    rows = GATES[op] * hidden
    b = np.zeros((directions, 2 * rows)) if b is None else b
    p = np.zeros((directions, 3 * hidden)) if p is None else p
    none = np.zeros((directions, batch, hidden))
    h_end = (none if h0 is None else h0).astype(np.float64)
    c_end = (none if c0 is None else c0).astype(np.float64)
    y = np.zeros((steps, directions, batch, hidden))
    functions = functions_of(op, directions, attributes)
    clip = attributes.get("clip", np.inf)
    for d in range(directions):
        backwards = d == 1 or attributes.get("direction") == "reverse"
        for n in range(batch):
            inside = range(steps if lens is None else int(lens[n]))
            for t in reversed(inside) if backwards else inside:
                h, c = STEPS[op](
                    x[t, n].astype(np.float64), h_end[d, n], c_end[d, n],
                    w[d].astype(np.float64), r[d].astype(np.float64),
                    b[d, :rows].astype(np.float64), b[d, rows:], p[d],
                    functions[d], lambda v: np.clip(v, -clip, clip),
                    attributes)
                y[t, d, n] = h_end[d, n] = h
                c_end[d, n] = c
    if first:
        return (y.transpose(2, 0, 1, 3), h_end.swapaxes(0, 1),
                c_end.swapaxes(0, 1))
    return y, h_end, c_end
