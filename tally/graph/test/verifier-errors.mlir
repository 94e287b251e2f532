// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @inferred_shape(%x: tensor<2xf32>) {
  // expected-error @+1 {{result shape [3] is not the inferred [2] [NN-1]}}
  %0 = nn.relu %x : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @inferred_element(%x: tensor<2xf32>) {
  // expected-error @+1 {{result element type 'f16' is not the inferred 'f32' [NN-2]}}
  %0 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf16>
  return
}

// -----

func.func @no_executor(%x: tensor<2xf8E5M2>) {
  // expected-error @+1 {{operand 0: element type 'f8E5M2' has no executor [NN-3]}}
  %0 = nn.reshape %x {shape = array<i64: 1, 2>} : (tensor<2xf8E5M2>) -> tensor<1x2xf8E5M2>
  return
}

// -----

!q = !quant.uniform<i8:f64, 0.5>
func.func @reals_of_64_bits(%x: tensor<2x!q>) {
  // expected-error @+1 {{is not 2 to 32 bits over f32, per tensor or per axis [QT-1]}}
  %0 = nn.relu %x : (tensor<2x!q>) -> tensor<2x!q>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5:128>
func.func @zero_point(%x: tensor<2x!q>) {
  // expected-error @+1 {{operand 0: zero point 128 is outside [-128, 127] [QT-3]}}
  %0 = nn.relu %x : (tensor<2x!q>) -> tensor<2x!q>
  return
}

// -----

!q = !quant.uniform<i8:f32:1, {0.5,0.25}>
func.func @scales_of_an_axis(%x: tensor<2x3x!q>) {
  // expected-error @+1 {{operand 0: 2 scales along axis 1 do not fit}}
  %0 = nn.dequantize %x : (tensor<2x3x!q>) -> tensor<2x3xf32>
  return
}
