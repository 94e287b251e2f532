// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @axes(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{nn.reduce_sum: axes [1x0] are not ascending dimensions of 2x3 [REDUCE-1]}}
  %0 = nn.reduce_sum %x {axes = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

!q = !quant.uniform<i8:f32:0, {0.5, 0.25}>
func.func @per_axis(%x: tensor<2x3x!q>) {
  // expected-error @+1 {{nn.reduce_max: no reduction of int8 codes with 2 scales along axis 0 [REDUCE-2]}}
  %0 = nn.reduce_max %x {axes = array<i64: 1>} : (tensor<2x3x!q>) -> tensor<2x1x!q>
  return
}

// -----

func.func @axis(%x: tensor<2x0xf32>) {
  // expected-error @+1 {{nn.arg_max: axis 1 is not a dimension with elements of 2x0 [ARG-1]}}
  %0 = nn.arg_max %x {axis = 1 : i64} : (tensor<2x0xf32>) -> tensor<2x1xi64>
  return
}

// -----

!q = !quant.uniform<i8:f32:0, {0.5, 0.25}>
func.func @no_order(%x: tensor<2x3x!q>) {
  // expected-error @+1 {{[ARG-2]}}
  %0 = nn.arg_min %x {axis = 0 : i64} : (tensor<2x3x!q>) -> tensor<1x3xi64>
  return
}

// -----

func.func @too_many(%x: tensor<2xf32>) {
  // expected-error @+1 {{no 3 elements along axis 0 of 2 [TOPK-1]}}
  %0, %1 = nn.top_k %x {k = 3 : i64, axis = 0 : i64} : (tensor<2xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return
}

// -----

func.func @booleans(%x: tensor<2xi1>) {
  // expected-error @+1 {{no order on bool [TOPK-2]}}
  %0, %1 = nn.top_k %x {k = 1 : i64, axis = 0 : i64} : (tensor<2xi1>) -> (tensor<1xi1>, tensor<1xi64>)
  return
}
