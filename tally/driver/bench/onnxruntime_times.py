"""Runs a model under onnxruntime and times it, for `tally bench`.

usage: onnxruntime_times.py MODEL INPUTS.npz THREADS

With all graph optimizations. Inputs are bound once, so that a
run is the runtime's work and no copies of Python's. Writes {"version": ...} as
the first line when the model is loaded and has run once. Then, for each line
with a number N on standard input, runs N times and writes the nanoseconds that
they took together. Ends with its input.

Status 3: a package is missing, its name on standard error. Status 4: the
runtime refuses, its words on standard error.
"""

import json
import pathlib
import sys
import time


def load(numpy, runtime, model, inputs, threads):
    """A function that runs the model once."""
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = int(threads)
    options.inter_op_num_threads = 1
    session = runtime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"])
    feeds = {}
    if pathlib.Path(inputs).exists():  # a model may have no inputs
        with numpy.load(inputs) as stored:
            feeds = dict(stored)
    binding = session.io_binding()
    for value in session.get_inputs():
        binding.bind_cpu_input(value.name, feeds[value.name])
    for value in session.get_outputs():
        binding.bind_output(value.name)
    return lambda: session.run_with_iobinding(binding)


def serve(run):
    for line in sys.stdin:
        start = time.perf_counter_ns()
        for _ in range(int(line)):
            run()
        print(time.perf_counter_ns() - start, flush=True)


def main():
    try:
        import numpy
        import onnxruntime
    except ImportError as missing:
        print(missing.name, file=sys.stderr)
        return 3
    try:
        run = load(numpy, onnxruntime, *sys.argv[1:])
        run()
        print(json.dumps({"version": onnxruntime.__version__}), flush=True)
        serve(run)
    except Exception as refused:  # whatever the runtime throws
        print(refused, file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
