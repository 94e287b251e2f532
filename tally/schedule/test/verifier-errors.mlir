// RUN: tally-opt %s --split-input-file --verify-diagnostics

npu.program "edge" {
  %0 = npu.storage "in" {bytes = 64 : i64, alignment = 64 : i64, space = 64 : i64} : !npu.storage
  %1 = npu.storage "out" {bytes = 64 : i64, alignment = 64 : i64, space = 64 : i64} : !npu.storage
  npu.command "vector" (%0, %1) {code = 64 : i64, queue = 4 : i64, operands = ["a", "out"], fields = {size3 = 64 : i64}} : !npu.storage, !npu.storage
}

// -----

npu.program "edge" {
  // expected-error@+1 {{is neither a storage nor a command [NPU-1]}}
  "nn.constant"() {value = dense<1> : tensor<i8>} : () -> tensor<i8>
}

// -----

npu.program "edge" {
  // expected-error@+1 {{needs positive bytes and an alignment that is a power of two [NPU-2]}}
  %0 = npu.storage "none" {bytes = 0 : i64, alignment = 64 : i64, space = 64 : i64} : !npu.storage
}

// -----

npu.program "edge" {
  // expected-error@+1 {{needs positive bytes and an alignment that is a power of two [NPU-2]}}
  %0 = npu.storage "odd" {bytes = 8 : i64, alignment = 48 : i64, space = 64 : i64} : !npu.storage
}

// -----

npu.program "edge" {
  // expected-error@+1 {{has contents if and only if it is a constant [NPU-3]}}
  %0 = npu.storage "w" {bytes = 8 : i64, alignment = 8 : i64, space = 0 : i64} : !npu.storage
}

// -----

npu.program "edge" {
  // expected-error@+1 {{has contents that are not bytes, or too many [NPU-3]}}
  %0 = npu.storage "w" {bytes = 1 : i64, alignment = 8 : i64, space = 0 : i64, contents = dense<1> : tensor<2xi8>} : !npu.storage
}

// -----

npu.program "edge" {
  %0 = npu.storage "x" {bytes = 8 : i64, alignment = 8 : i64, space = 64 : i64} : !npu.storage
  // Code 64 copies on a vector engine.
  // expected-error@+1 {{code 64 is no command of a matrix engine [NPU-4]}}
  npu.command "matrix" (%0) {code = 64 : i64, queue = 0 : i64, operands = ["in"], fields = {}} : !npu.storage
}

// -----

npu.program "edge" {
  %0 = npu.storage "x" {bytes = 8 : i64, alignment = 8 : i64, space = 64 : i64} : !npu.storage
  // expected-error@+1 {{has no field "wrap.dim" [NPU-4]}}
  npu.command "vector" (%0) {code = 64 : i64, queue = 4 : i64, operands = ["a"], fields = {wrap.dim = 1 : i64}} : !npu.storage
}

// -----

npu.program "edge" {
  %0 = npu.storage "x" {bytes = 8 : i64, alignment = 8 : i64, space = 64 : i64} : !npu.storage
  // expected-error@+1 {{names "a" twice [NPU-5]}}
  npu.command "vector" (%0, %0) {code = 64 : i64, queue = 4 : i64, operands = ["a", "a"], fields = {}} : !npu.storage, !npu.storage
}

// -----

npu.program "edge" {
  %0 = npu.storage "x" {bytes = 8 : i64, alignment = 8 : i64, space = 64 : i64} : !npu.storage
  // expected-error@+1 {{needs a name for each storage [NPU-5]}}
  npu.command "vector" (%0) {code = 64 : i64, queue = 4 : i64, operands = [], fields = {}} : !npu.storage
}
