// RUN: tally-opt %s --nn-layout --remark-format=emitRemark --remarks-filter=layout 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

// dimension d of T's result is dimension permutation[d] of its operand; none of
// these permutations is its own inverse unless a test says so.

// [1, 2, 0] after [2, 0, 1] is the identity.
func.func @undone(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.relu %0 : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// Twice [2, 0, 1] is [1, 2, 0].
func.func @joined(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 2, 0, 1>} : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  return %1 : tensor<3x4x2xf32>
}

func.func @units(%x: tensor<1x3x1x4xf32>) -> tensor<3x1x4x1xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0, 3, 2>} : (tensor<1x3x1x4xf32>) -> tensor<3x1x4x1xf32>
  return %0 : tensor<3x1x4x1xf32>
}

!rows = !quant.uniform<i8:f32:0, {0.5, 0.25}>
!moved = !quant.uniform<i8:f32:1, {0.5, 0.25}>

// The grid along axis 0 of [2, 3, 4] is along axis 1 of [4, 2, 3]: the axis
// goes through the inverse permutation.
func.func @grid(%x: tensor<2x3x4x!rows>) -> tensor<2x3x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4x!rows>) -> tensor<4x2x3x!moved>
  %1 = nn.dequantize %0 : (tensor<4x2x3x!moved>) -> tensor<4x2x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// Axes: softmax over axis 1 of [4, 2, 3] is over axis 0 of [2, 3, 4]; the sum
// over axes 0 and 2 is over 1 and 2 there, in the other order, which shows in
// floats: it stays, and so does its transpose.
func.func @softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}
func.func @ordered_sum(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.reduce_sum %0 {axes = array<i64: 0, 2>, keepdims = false} : (tensor<4x2x3xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func @greatest(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.reduce_max %0 {axes = array<i64: 0, 2>, keepdims = false} : (tensor<4x2x3xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Lists with one entry per dimension, concatenation and top_k.
func.func @lists(%x: tensor<2x3x4xf32>) -> tensor<3x3x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.slice %0 {starts = array<i64: 0, 1, 0>, sizes = array<i64: 4, 1, 3>, steps = array<i64: 1, 1, 1>} : (tensor<4x2x3xf32>) -> tensor<4x1x3xf32>
  %2 = nn.concat %0, %1 {axis = 1 : i64} : (tensor<4x2x3xf32>, tensor<4x1x3xf32>) -> tensor<4x3x3xf32>
  %3 = nn.transpose %2 {permutation = array<i64: 1, 2, 0>} : (tensor<4x3x3xf32>) -> tensor<3x3x4xf32>
  return %3 : tensor<3x3x4xf32>
}

// A broadcast addend of lower rank: [3] of [4, 2, 3] is [1, 3, 1] of
// [2, 3, 4].
func.func @broadcast(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %c = nn.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.add %0, %c : (tensor<4x2x3xf32>, tensor<3xf32>) -> tensor<4x2x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

!q = !quant.uniform<i8:f32, 0.5:3>

// A transpose moves to the side of the codes, a quarter of the bytes.
func.func @cheaper_on_codes(%x: tensor<2x3x4xf32>) -> tensor<4x2x3x!q> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.quantize %0 : (tensor<4x2x3xf32>) -> tensor<4x2x3x!q>
  return %1 : tensor<4x2x3x!q>
}
func.func @stays_on_codes(%x: tensor<2x3x4x!q>) -> tensor<4x2x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4x!q>) -> tensor<4x2x3x!q>
  %1 = nn.dequantize %0 : (tensor<4x2x3x!q>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// Channels last around convolutions: only the edges of the network keep a
// transpose, the residual addition in between none.
func.func @channels_last(%x: tensor<1x4x6x2xf32>) -> tensor<1x4x6x2xf32> {
  %w = nn.constant dense<1.0> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32>
  %1 = nn.conv %0, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x6xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32>
  %3 = nn.relu %2 : (tensor<1x4x6x2xf32>) -> tensor<1x4x6x2xf32>
  %4 = nn.transpose %3 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32>
  %5 = nn.conv %4, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x6xf32>
  %6 = nn.transpose %5 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32>
  %7 = nn.add %3, %6 : (tensor<1x4x6x2xf32>, tensor<1x4x6x2xf32>) -> tensor<1x4x6x2xf32>
  return %7 : tensor<1x4x6x2xf32>
}

// Products read either order; a global mean of channels-last images is one of
// the others.
func.func @attention(%q: tensor<2x5x3xf32>, %k: tensor<2x5x3xf32>) -> tensor<2x5x5xf32> {
  %0 = nn.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<2x5x3xf32>) -> tensor<2x3x5xf32>
  %1 = nn.matmul %q, %0 : (tensor<2x5x3xf32>, tensor<2x3x5xf32>) -> tensor<2x5x5xf32>
  return %1 : tensor<2x5x5xf32>
}
func.func @mean(%x: tensor<1x2x4x6xf32>) -> tensor<1x2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32>
  %1 = nn.reduce_mean %0 {axes = array<i64: 1, 2>, keepdims = false} : (tensor<1x4x6x2xf32>) -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

// A reshape that joins the moved dimensions needs them in that order.
func.func @regrouped(%x: tensor<2x3x4xf32>) -> tensor<8x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.reshape %0 {shape = array<i64: 8, 3>} : (tensor<4x2x3xf32>) -> tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// A product of run-time operands gives its result transposed by itself.
func.func @free_product(%a: tensor<3x2xf32>, %b: tensor<2x4xf32>) -> tensor<4x3xf32> {
  %0 = nn.matmul %a, %b : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  %1 = nn.relu %0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}
