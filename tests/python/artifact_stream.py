"""A stream of calls of a compiled library, without the runtime's help.

Keeps slots, entries and cursors as docs/reference/state.md says, and gives the
code the worst memory that it may get: arena, outputs and second slots are full
of a pattern before each call, the arena has exactly the bytes it asks for, and
what lies beside any buffer is watched. Each call runs twice, with two patterns:
a byte that differs then was not written, or was made of one that nobody wrote.
"""

import ctypes
import json

import numpy as np

ALIGNMENT, GUARD = 64, 128
PATTERNS = (0xAA, 0x55)


class Buffer:
    """Aligned bytes with a guard on each side."""

    def __init__(self, size):
        self.memory = np.full(size + 2 * GUARD + ALIGNMENT, 0xC3, np.uint8)
        begin = -(self.memory.ctypes.data + GUARD) % ALIGNMENT + GUARD
        self.bytes = self.memory[begin:begin + size]
        self.around = [self.memory[:begin], self.memory[begin + size:]]
        self.address = self.memory.ctypes.data + begin

    def check(self, what):
        for part in self.around:
            assert (part == 0xC3).all(), f"written beside {what}"


def described(library, symbol):
    return json.loads(ctypes.c_char_p(ctypes.addressof(
        ctypes.c_char.in_dll(library, f"{symbol}_interface"))).value)


class ArtifactStream:
    """One context of the library at `path`, whose prefix is `symbol`."""

    def __init__(self, path, symbol):
        self.library = ctypes.CDLL(str(path))
        self.about = described(self.library, symbol)
        self.entry = getattr(self.library, f"{symbol}_run")
        self.states = self.about.get("states", [])
        self.slots = [Buffer(n) for n in self.about.get("slot_bytes", [])]
        self.arena = Buffer(self.about["arena_bytes"])
        #: By state, of the last call: bytes that it wrote into the slot.
        self.written = {}
        #: By name, of the last call.
        self.outputs = {}
        self.reset()

    # --- states ----------------------------------------------------------

    def reset(self):
        self.entries = list(range(len(self.slots)))
        self.cursors = [0] * len(self.states)
        for buffer in self.slots:
            buffer.bytes[:] = PATTERNS[0]
        for index, state in enumerate(self.states):
            if "initial" in state:
                self.set(index, self.initial(state))

    @staticmethod
    def initial(state):
        import base64
        about = state["tensor"]
        data = np.frombuffer(base64.b64decode(state["initial"]),
                             np.dtype(about["type"]))
        count = int(np.prod(about["shape"], dtype=np.int64))
        return np.resize(data, count)

    def slot(self, entry):
        return self.slots[self.entries[entry]]

    def rows(self, index):
        """Where the value is: (begin, end) of each row in its slot."""
        state = self.states[index]
        size = self.size_of(state["tensor"]) // state["rows"]
        return [(at, at + size) for at in
                (self.cursors[index] + row * state["pitch"]
                 for row in range(state["rows"]))]

    def span(self, state):
        """From the value's beginning to its end, rows and all."""
        size = self.size_of(state["tensor"]) // state["rows"]
        return (state["rows"] - 1) * state["pitch"] + size

    def home(self, state):
        """Where a value begins that was set: at the end when it slides down."""
        if state["advance"] >= 0:
            return 0
        return self.about["slot_bytes"][state["current"]] - self.span(state)

    def set(self, index, value):
        data = np.frombuffer(np.ascontiguousarray(value).tobytes(), np.uint8)
        self.cursors[index] = self.home(self.states[index])
        at, slot = 0, self.slot(self.states[index]["current"])
        for begin, end in self.rows(index):
            slot.bytes[begin:end] = data[at:at + end - begin]
            at += end - begin

    def get(self, index):
        about = self.states[index]["tensor"]
        slot = self.slot(self.states[index]["current"])
        data = b"".join(slot.bytes[begin:end].tobytes()
                        for begin, end in self.rows(index))
        return np.frombuffer(data, about["type"]).reshape(about["shape"])

    @staticmethod
    def size_of(about):
        return (int(np.prod(about["shape"], dtype=np.int64))
                * np.dtype(about["type"]).itemsize)

    # --- calls -----------------------------------------------------------

    def call(self, inputs, pattern):
        """Runs the code; new values are where it wrote them."""
        self.arena.bytes[:] = pattern
        for state in self.states:
            if state["next"] != state["current"]:
                self.slot(state["next"]).bytes[:] = pattern
        outputs = [Buffer(self.size_of(o)) for o in self.about["outputs"]]
        for buffer in outputs:
            buffer.bytes[:] = pattern
        self.outputs = dict(zip((o["name"] for o in self.about["outputs"]),
                                outputs))
        ins = [array.ctypes.data for array in inputs]
        outs = [buffer.address for buffer in outputs]
        for index, state in enumerate(self.states):
            cursor = self.cursors[index]
            if state["is_read"]:
                ins.append(self.slot(state["current"]).address + cursor)
            if state["is_written"]:
                outs.append(self.slot(state["next"]).address + cursor
                            + state["target"])
        status = self.entry((ctypes.c_void_p * max(len(ins), 1))(*ins),
                            (ctypes.c_void_p * max(len(outs), 1))(*outs),
                            ctypes.c_void_p(self.arena.address))
        assert status == 0
        for buffer in [self.arena, *self.slots, *outputs]:
            buffer.check("a buffer of the call")
        return [buffer.bytes.copy() for buffer in outputs]

    def step(self, inputs):
        """One call, tried with both patterns; the outputs by name."""
        arrays = [np.ascontiguousarray(
            inputs[about["name"]].astype(about["type"], copy=False))
                  for about in self.about["inputs"]]
        before = [buffer.bytes.copy() for buffer in self.slots]
        results = []
        for pattern in PATTERNS:
            for buffer, old in zip(self.slots, before):
                buffer.bytes[:] = old
            outputs = self.call(arrays, pattern)
            results.append((outputs, [b.bytes.copy() for b in self.slots]))
        self.note_writes(before, results)
        for first, second in zip(results[0][0], results[1][0]):
            assert (first == second).all(), "an output depends on old memory"
        self.commit()
        return {about["name"]: data.view(about["type"]).reshape(about["shape"])
                for about, data in zip(self.about["outputs"], results[1][0])}

    def places_of(self, value):
        """How often the bytes of an array are where, in all memory that the last
        call had for what it computed."""
        slots = {f"slot {i}": slot for i, slot in enumerate(self.slots)}
        found = {name: buffer.bytes.tobytes().count(value.tobytes())
                 for name, buffer in {"arena": self.arena, **self.outputs,
                                      **slots}.items()}
        return {name: count for name, count in found.items() if count}

    def note_writes(self, before, results):
        """What a call left as it was is known for a slot of its own by the two
        patterns, for the others by what was there (an upper bound when the
        call writes what was there already)."""
        for state in self.states:
            name, place = state["tensor"]["name"], state["next"]
            at = self.entries[place]
            first, second = results[0][1][at], results[1][1][at]
            if place != state["current"]:
                self.written[name] = int((first == second).sum())
                size = self.size_of(state["tensor"])
                assert self.written[name] == size, f"'{name}' has gaps"
            else:
                assert (first == second).all(), f"'{name}' is made of noise"
                self.written[name] = int((before[at] != second).sum())
            assert self.written[name] <= max(
                state["written_bytes"], 0), f"'{name}' is written too often"

    def commit(self):
        old = list(self.entries)
        self.entries = [old[i] for i in self.about.get("commit", [])]
        for index, state in enumerate(self.states):
            self.cursors[index] += state["advance"]
            touched = state["extent"] or self.size_of(state["tensor"])
            slot = self.slot(state["current"]).bytes
            begin = self.cursors[index]
            if (begin + min(state["target"], 0) >= 0
                    and begin + touched <= len(slot)):
                continue
            home, span = self.home(state), self.span(state)
            slot[home:home + span] = slot[begin:begin + span].copy()
            self.cursors[index] = home


def run_stream(path, symbol, inputs, given=None, watch=None):
    """Outputs of all steps, stacked, and the stream. `inputs` have the step as
    their first index; `given` are states before the first call; `watch` sees
    the stream after each call."""
    stream = ArtifactStream(path, symbol)
    for index, state in enumerate(stream.states):
        name = state["tensor"]["name"]
        if given and name in given:
            stream.set(index, given[name].astype(state["tensor"]["type"]))
    count = len(next(iter(inputs.values())))
    results = []
    for t in range(count):
        results.append(stream.step({n: data[t] for n, data in inputs.items()}))
        if watch:
            watch(stream)
    return ({name: np.stack([result[name] for result in results])
             for name in results[0]}, stream)
