// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @rank(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{nn.max_pool: input 2x3 needs a batch, channels and spatial dimensions [POOL-1]}}
  %0 = nn.max_pool %x {kernel = array<i64>, strides = array<i64>, pads = array<i64>, dilations = array<i64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @counts(%x: tensor<1x1x3xf32>) {
  // expected-error @+1 {{kernel, strides and dilations need 1 positive entries each and pads 2 [POOL-2]}}
  %0 = nn.max_pool %x {kernel = array<i64: 2>, strides = array<i64: 0>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x3xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @pads(%x: tensor<1x1x3xf32>) {
  // expected-error @+1 {{nn.average_pool: pad 2 is not below the window's extent 2 [POOL-3]}}
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 2>, dilations = array<i64: 1>} : (tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @fit(%x: tensor<1x1x3xf32>) {
  // expected-error @+1 {{nn.average_pool: the window does not fit in spatial dimension 0 of input 1x1x3 [POOL-4]}}
  %0 = nn.average_pool %x {kernel = array<i64: 4>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x3xf32>) -> tensor<1x1x1xf32>
  return
}

// -----

func.func @elements(%x: tensor<1x1x3xi8>) {
  // expected-error @+1 {{nn.average_pool: no pooling of int8 [POOL-5]}}
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x1x3xi8>) -> tensor<1x1x2xi8>
  return
}
