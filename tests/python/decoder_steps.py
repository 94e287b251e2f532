"""Steps of decoders with a cache of keys and values, as exporters write them:
`present` is `past` with what the step made behind it. Float or quantized, with
fewer heads in the cache than in the queries, keys transposed, a mask."""

import numpy as np
from onnx import TensorProto, helper

from state_models import model

SCALE, ZERO = np.float32(0.04), np.int8(-3)
WEIGHT_SCALE = np.float32(0.01)


class Decoder:
    """One layer of attention: `enters` rows a step, `heads` of `width`."""

    def __init__(self, seed=0, *, heads=2, cached=None, width=4, enters=1,
                 quantized=False, stored_codes=False, keys_across=False,
                 mask=False, position=False, settled=False):
        self.rng = np.random.default_rng(seed)
        self.heads, self.cached = heads, cached or heads
        self.width, self.enters = width, enters
        self.quantized, self.codes = quantized, stored_codes
        self.across, self.mask, self.position = keys_across, mask, position
        #: x on a grid of its own before anything is made of it.
        self.settled = settled
        self.size = heads * width
        self.nodes, self.constants, self.names = [], [], 0

    # --- building ---------------------------------------------------------

    def add(self, operator, *operands, **attributes):
        self.names += 1
        out = attributes.pop("out", f"v{self.names}")
        self.nodes.append(helper.make_node(
            operator, operands, [out], name=f"n{self.names}", **attributes))
        return out

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append((name, np.asarray(value)))
        return name

    def quantize(self, value, out=None):
        grid = self.constant(SCALE), self.constant(ZERO)
        return self.add("QuantizeLinear", value, *grid,
                        **({"out": out} if out else {}))

    def dequantize(self, codes):
        return self.add("DequantizeLinear", codes, self.constant(SCALE),
                        self.constant(ZERO))

    def settle(self, value):
        """On a grid, where the model is quantized."""
        return self.dequantize(self.quantize(value)) if self.quantized \
            else value

    def weights(self, rows, columns):
        if not self.quantized:
            return self.constant((self.rng.standard_normal((rows, columns))
                                  * 0.4).astype(np.float32))
        codes = self.rng.integers(-90, 91, (rows, columns), np.int8)
        return self.add("DequantizeLinear", self.constant(codes),
                        self.constant(WEIGHT_SCALE), self.constant(np.int8(0)))

    def project(self, x, heads):
        made = self.settle(self.add(
            "MatMul", x, self.weights(self.size, heads * self.width)))
        shape = self.constant(np.array([1, self.enters, heads, self.width]))
        return self.add("Transpose", self.add("Reshape", made, shape),
                        perm=[0, 2, 1, 3])

    def cache(self, name, rows):
        """past -> present; what the layer reads."""
        axis = 3 if self.across and name == "key" else 2
        if axis == 3:
            rows = self.add("Transpose", rows, perm=[0, 1, 3, 2])
        past, present = f"past.{name}", f"present.{name}"
        if not self.codes:
            return self.add("Concat", past, rows, axis=axis, out=present)
        whole = self.add("Concat", self.dequantize(past), rows, axis=axis)
        return self.dequantize(self.quantize(whole, present))

    def repeated(self, value, axis):
        """Each cached head for several heads of queries."""
        times = self.heads // self.cached
        if times == 1:
            return value
        length = self.add("Gather", self.add("Shape", value),
                          self.constant(np.array([axis])))
        inner = [np.array([self.width]), length]
        if axis == 2:
            inner.reverse()
        inner = [i if isinstance(i, str) else self.constant(i) for i in inner]
        wide = self.add("Unsqueeze", value, self.constant(np.array([2])))
        ones = self.constant(np.array([1, self.cached, times]))
        wide = self.add("Expand", wide, self.add("Concat", ones, *inner,
                                                 axis=0))
        heads = self.constant(np.array([1, self.heads]))
        return self.add("Reshape", wide,
                        self.add("Concat", heads, *inner, axis=0))

    def make(self):
        across = 3 if self.across else 2
        x = self.settle("x") if self.settled else "x"
        key = self.cache("key", self.project(x, self.cached))
        value = self.cache("value", self.project(x, self.cached))
        query = self.project(x, self.heads)
        key = self.repeated(key, across)
        if not self.across:
            key = self.add("Transpose", key, perm=[0, 1, 3, 2])
        scores = self.settle(self.add("MatMul", query, key))
        if self.mask:
            scores = self.add("Add", scores, "mask")
        if self.enters > 1:
            scores = self.add("Add", scores, self.causal())
        shares = self.settle(self.add("Softmax", scores, axis=-1))
        mixed = self.settle(self.add("MatMul", shares,
                                     self.repeated(value, 2)))
        flat = self.add("Reshape",
                        self.add("Transpose", mixed, perm=[0, 2, 1, 3]),
                        self.constant(np.array([1, self.enters, self.size])))
        if self.position:
            flat = self.add("Add", flat, self.add(
                "Cast", self.length("past.key", across), to=TensorProto.FLOAT))
        self.add("Identity", flat, out="y")
        return self.finish()

    def length(self, name, axis):
        return self.add("Gather", self.add("Shape", name),
                        self.constant(np.array([axis])))

    def causal(self):
        """-10000 where a row of the step must not see a later one, by the
        position of both: shape arithmetic of the past's length."""
        past = self.length("past.key", 3 if self.across else 2)
        zero = self.constant(np.array(0))
        one = self.constant(np.array(1))
        total = self.add("Add", past, self.constant(np.array([self.enters])))
        scalar = self.constant(np.array([], np.int64))
        columns = self.add("Range", zero, self.add("Reshape", total, scalar),
                           one)
        rows = self.add("Unsqueeze", self.add(
            "Range", self.add("Reshape", past, scalar),
            self.add("Reshape", total, scalar), one),
            self.constant(np.array([1])))
        hidden = self.add("Greater", columns, rows)
        return self.add("Mul", self.add("Cast", hidden, to=TensorProto.FLOAT),
                        self.constant(np.float32(-10000)))

    def finish(self):
        kind = TensorProto.INT8 if self.codes else TensorProto.FLOAT
        total = f"past + {self.enters}"

        def cache(name, of, rows):
            shape = [1, self.cached, rows, self.width]
            if self.across and of == "key":
                shape[2:] = [self.width, rows]
            return helper.make_tensor_value_info(f"{name}.{of}", kind, shape)

        inputs = [helper.make_tensor_value_info(
            "x", TensorProto.FLOAT, [1, self.enters, self.size])]
        if self.mask:
            inputs.append(helper.make_tensor_value_info(
                "mask", TensorProto.FLOAT, [1, 1, 1, total]))
        inputs += [cache("past", of, "past") for of in ("key", "value")]
        outputs = [helper.make_tensor_value_info(
            "y", TensorProto.FLOAT, [1, self.enters, self.size])]
        outputs += [cache("present", of, total) for of in ("key", "value")]
        return model(self.nodes, inputs, outputs, self.constants)

    # --- running ----------------------------------------------------------

    def frames(self, count):
        return self.rng.standard_normal(
            (count, 1, self.enters, self.size)).astype(np.float32)

    def empty(self, rows=0):
        fill, kind = (ZERO, np.int8) if self.codes else (0, np.float32)
        shape = (1, self.cached, rows, self.width)
        turned = (1, self.cached, self.width, rows)
        return {"past.key": np.full(turned if self.across else shape, fill,
                                    kind),
                "past.value": np.full(shape, fill, kind)}

    def options(self, capacity, how="append"):
        options = ["--dim", f"past={capacity - self.enters}"]
        if self.mask:
            options += ["--dim", f"past + {self.enters}={capacity}"]
        return [*options, "--state", f"proposed:{how}"]
