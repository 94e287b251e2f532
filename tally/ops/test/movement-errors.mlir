// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @transpose_1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{[0, 0] is no permutation of the dimensions of 2x3 [TRANSPOSE-1]}}
  %0 = nn.transpose %x {permutation = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reshape_1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{cannot reshape 2x3 to 4x2 [RESHAPE-1]}}
  %0 = nn.reshape %x {shape = array<i64: 4, 2>} : (tensor<2x3xf32>) -> tensor<4x2xf32>
  return
}

// -----

// Merging the quantization axis with another dimension.
!p = !quant.uniform<i8:f32:0, {0.5, 2.0}>
func.func @move_1(%x: tensor<2x3x!p>) {
  // expected-error@+1 {{the quantization axis of int8[2x3] codes with 2 scales along axis 0 does not keep its indices in a result of shape 6 [MOVE-1]}}
  %0 = nn.reshape %x {shape = array<i64: 6>} : (tensor<2x3x!p>) -> tensor<6xi8>
  return
}

// -----

// Cutting the quantization axis.
!p = !quant.uniform<i8:f32:0, {0.5, 2.0}>
func.func @move_1_slice(%x: tensor<2x!p>) {
  // expected-error@+1 {{does not keep its indices in a result of shape 1 [MOVE-1]}}
  %0 = nn.slice %x {starts = array<i64: 0>, sizes = array<i64: 1>, steps = array<i64: 1>} : (tensor<2x!p>) -> tensor<1x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// The codes would silently mean other reals.
func.func @move_2(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{only moves elements: the result's element type is '!quant.uniform<i8:f32, 2.500000e-01>', expected '!quant.uniform<i8:f32, 5.000000e-01>' [MOVE-2]}}
  %0 = nn.transpose %x {permutation = array<i64: 0>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.25>>
  return
}

// -----

// With the axis of the permutation instead of its inverse (2 instead of 1).
!p = !quant.uniform<i8:f32:0, {0.5, 2.0}>
func.func @move_2_axis(%x: tensor<2x2x2x!p>) {
  // expected-error@+1 {{only moves elements}}
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x2x2x!p>) -> tensor<2x2x2x!quant.uniform<i8:f32:2, {0.5, 2.0}>>
  return
}

// -----

func.func @slice_1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{starts, sizes and steps need 2 entries, one per dimension of 2x3 [SLICE-1]}}
  %0 = nn.slice %x {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// 0, -1: the second element does not exist.
func.func @slice_2(%x: tensor<3xf32>) {
  // expected-error@+1 {{2 elements from 0 by -1 leave dimension 0 of size 3 [SLICE-2]}}
  %0 = nn.slice %x {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: -1>} : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @expand_1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{2x3 does not broadcast to 2x6 [EXPAND-1]}}
  %0 = nn.expand %x {shape = array<i64: 2, 6>} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @select_1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axes [1, 0] must ascend within the dimensions of 2x3, each with triples whose count is at least 1 [SELECT-1]}}
  %0 = nn.select %x {axes = array<i64: 1, 0>, segments = [array<i64: 0, 3, 1>, array<i64: 0, 2, 1>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @select_2(%x: tensor<3xf32>) {
  // expected-error@+1 {{triples [0, 4, 1] leave dimension 0 of size 3 [SELECT-2]}}
  %0 = nn.select %x {axes = array<i64: 0>, segments = [array<i64: 0, 4, 1>]} : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reverse_1(%x: tensor<3x2xf32>) {
  // expected-error@+1 {{batch axis 0 and time axis 0 must be two dimensions of 3x2 [REVERSE-1]}}
  %0 = nn.reverse_sequence %x {batchAxis = 0 : i64, timeAxis = 0 : i64, lengths = array<i64: 1, 1, 1>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @reverse_2(%x: tensor<3x2xf32>) {
  // expected-error@+1 {{lengths [1, 4] must be 2 numbers from 0 to 3 [REVERSE-2]}}
  %0 = nn.reverse_sequence %x {batchAxis = 1 : i64, timeAxis = 0 : i64, lengths = array<i64: 1, 4>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @concat_1(%x: tensor<f32>) {
  // expected-error@+1 {{axis 0 must be a dimension of at least one operand [CONCAT-1]}}
  %0 = nn.concat %x, %x {axis = 0 : i64} : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @concat_2(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{cannot join 2x3 and 2x4 along dimension 0 [CONCAT-2]}}
  %0 = nn.concat %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_3(%x: tensor<2xf32>, %y: tensor<2xi8>) {
  // expected-error@+1 {{cannot join elements of type float32 and int8 [CONCAT-3]}}
  %0 = nn.concat %x, %y {axis = 0 : i64} : (tensor<2xf32>, tensor<2xi8>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{before and after need 2 entries, one per dimension of 2x3 [PAD-1]}}
  %0 = nn.pad %x {before = array<i64: 1>, after = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @pad_2(%x: tensor<2xf32>) {
  // expected-error@+1 {{dimension 0 of size 2 cannot be padded by -2 and -1 [PAD-2]}}
  %0 = nn.pad %x {before = array<i64: -2>, after = array<i64: -1>} : (tensor<2xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @pad_3(%x: tensor<2xi8>, %v: tensor<f32>) {
  // expected-error@+1 {{a pad value of type float32 does not fit elements of type int8 [PAD-3]}}
  %0 = nn.pad %x, %v {before = array<i64: 1>, after = array<i64: 0>} : (tensor<2xi8>, tensor<f32>) -> tensor<3xi8>
  return
}

// -----

!p = !quant.uniform<i8:f32:1, {0.5, 2.0}>
func.func @pad_4(%x: tensor<3x2x!p>) {
  // expected-error@+1 {{whose grid is not one per tensor [PAD-4]}}
  %0 = nn.pad %x {before = array<i64: 1, 0>, after = array<i64: 0, 0>} : (tensor<3x2x!p>) -> tensor<4x2x!p>
  return
}

// -----

// The product of the dimensions is 2^64, which wraps to 0.
func.func @reshape_overflow(%x: tensor<0xf32>) {
  // expected-error@+1 {{cannot reshape 0 to 4294967296x4294967296 [RESHAPE-1]}}
  %0 = nn.reshape %x {shape = array<i64: 4294967296, 4294967296>} : (tensor<0xf32>) -> tensor<4294967296x4294967296xf32>
  return
}
