// RUN: tally-opt %s --nn-layout --remark-format=emitRemark --remarks-filter=layout 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

// Dimension d of T's result is dimension permutation[d] of its operand; none of
// these permutations is its own inverse unless a test says so.

// [1, 2, 0] after [2, 0, 1] is the identity.
// CHECK-LABEL: @undone(
// CHECK-NEXT: %[[V0:.*]] = nn.relu %arg0 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x4xf32>
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 192"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 192"
func.func @undone(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.relu %0 : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// Twice [2, 0, 1] is [1, 2, 0].
// CHECK-LABEL: @joined(
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
// CHECK-NEXT: return %[[V0]] : tensor<3x4x2xf32>
// REMARK: [Passed] LAYOUT-4 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.transpose, Reason="'nn.transpose' before it and it are one permutation"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 96 bytes", Suggestion="give the output the order of its operand"
func.func @joined(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 2, 0, 1>} : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  return %1 : tensor<3x4x2xf32>
}

// CHECK-LABEL: @units(
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 {shape = array<i64: 3, 1, 4, 1>} : (tensor<1x3x1x4xf32>) -> tensor<3x1x4x1xf32>
// CHECK-NEXT: return %[[V0]] : tensor<3x1x4x1xf32>
// REMARK: [Passed] LAYOUT-4 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="only dimensions of size 1 move"
func.func @units(%x: tensor<1x3x1x4xf32>) -> tensor<3x1x4x1xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0, 3, 2>} : (tensor<1x3x1x4xf32>) -> tensor<3x1x4x1xf32>
  return %0 : tensor<3x1x4x1xf32>
}

!rows = !quant.uniform<i8:f32:0, {0.5, 0.25}>
!moved = !quant.uniform<i8:f32:1, {0.5, 0.25}>

// The grid along axis 0 of [2, 3, 4] is along axis 1 of [4, 2, 3]: the axis
// goes through the inverse permutation.
// CHECK-LABEL: @grid(
// CHECK-NEXT: %[[V0:.*]] = nn.dequantize %arg0 : (tensor<2x3x4x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x4xf32>
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 120"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 120"
func.func @grid(%x: tensor<2x3x4x!rows>) -> tensor<2x3x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4x!rows>) -> tensor<4x2x3x!moved>
  %1 = nn.dequantize %0 : (tensor<4x2x3x!moved>) -> tensor<4x2x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// Axes: softmax over axis 1 of [4, 2, 3] is over axis 0 of [2, 3, 4]; the sum
// over axes 0 and 2 is over 1 and 2 there, in the other order, which shows in
// floats: it stays, and so does its transpose.
// CHECK-LABEL: @softmax(
// CHECK-NEXT: %[[V0:.*]] = nn.softmax %arg0 {axis = 0 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x4xf32>
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 192"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 192"
func.func @softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}
// CHECK-LABEL: @ordered_sum(
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reduce_sum %[[V0]] {axes = array<i64: 0, 2>, keepdims = false} : (tensor<4x2x3xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2xf32>
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.reduce_sum, Reason="'nn.reduce_sum' reads this order, and no place costs less than 96 bytes", Suggestion="give both sides one order of dimensions"
func.func @ordered_sum(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.reduce_sum %0 {axes = array<i64: 0, 2>, keepdims = false} : (tensor<4x2x3xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
// CHECK-LABEL: @greatest(
// CHECK-NEXT: %[[V0:.*]] = nn.reduce_max %arg0 {axes = array<i64: 1, 2>, keepdims = false} : (tensor<2x3x4xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2xf32>
// REMARK: [Passed] LAYOUT-4 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.reduce_max, Reason="'nn.reduce_max' reads either order"
func.func @greatest(%x: tensor<2x3x4xf32>) -> tensor<2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.reduce_max %0 {axes = array<i64: 0, 2>, keepdims = false} : (tensor<4x2x3xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Lists with one entry per dimension, concatenation and top_k.
// CHECK-LABEL: @lists(
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg0 {sizes = array<i64: 1, 3, 4>, starts = array<i64: 1, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<2x3x4xf32>) -> tensor<1x3x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.concat %arg0, %[[V0]] {axis = 0 : i64} : (tensor<2x3x4xf32>, tensor<1x3x4xf32>) -> tensor<3x3x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<3x3x4xf32>
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 240"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 240"
func.func @lists(%x: tensor<2x3x4xf32>) -> tensor<3x3x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.slice %0 {starts = array<i64: 0, 1, 0>, sizes = array<i64: 4, 1, 3>, steps = array<i64: 1, 1, 1>} : (tensor<4x2x3xf32>) -> tensor<4x1x3xf32>
  %2 = nn.concat %0, %1 {axis = 1 : i64} : (tensor<4x2x3xf32>, tensor<4x1x3xf32>) -> tensor<4x3x3xf32>
  %3 = nn.transpose %2 {permutation = array<i64: 1, 2, 0>} : (tensor<4x3x3xf32>) -> tensor<3x3x4xf32>
  return %3 : tensor<3x3x4xf32>
}

// A broadcast addend of lower rank: [3] of [4, 2, 3] is [1, 3, 1] of
// [2, 3, 4].
// CHECK-LABEL: @broadcast(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[\[}}1.000000e+00], [2.000000e+00], [3.000000e+00]]]> : tensor<1x3x1xf32> : tensor<1x3x1xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.add %arg0, %[[V0]] : (tensor<2x3x4xf32>, tensor<1x3x1xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x4xf32>
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 192"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 192"
func.func @broadcast(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %c = nn.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.add %0, %c : (tensor<4x2x3xf32>, tensor<3xf32>) -> tensor<4x2x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

!q = !quant.uniform<i8:f32, 0.5:3>

// A transpose moves to the side of the codes, a quarter of the bytes.
// CHECK-LABEL: @cheaper_on_codes(
// CHECK-NEXT: %[[V0:.*]] = nn.quantize %arg0 : (tensor<2x3x4xf32>) -> tensor<2x3x4x!quant.uniform<i8:f32, 5.000000e-01:3>>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %[[V0]] {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4x2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>
// CHECK-NEXT: return %[[V1]] : tensor<4x2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 24 bytes instead of 96"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 24 bytes", Suggestion="give the output the order of its operand"
func.func @cheaper_on_codes(%x: tensor<2x3x4xf32>) -> tensor<4x2x3x!q> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.quantize %0 : (tensor<4x2x3xf32>) -> tensor<4x2x3x!q>
  return %1 : tensor<4x2x3x!q>
}
// CHECK-LABEL: @stays_on_codes(
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4x2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>
// CHECK-NEXT: %[[V1:.*]] = nn.dequantize %[[V0]] : (tensor<4x2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x2x3xf32>
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.dequantize, Reason="'nn.dequantize' reads this order, and no place costs less than 24 bytes", Suggestion="give both sides one order of dimensions"
func.func @stays_on_codes(%x: tensor<2x3x4x!q>) -> tensor<4x2x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4x!q>) -> tensor<4x2x3x!q>
  %1 = nn.dequantize %0 : (tensor<4x2x3x!q>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// Channels last around convolutions: only the edges of the network keep a
// transpose, the residual addition in between none.
// CHECK-LABEL: @channels_last(
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x2xf32>) -> tensor<1x2x4x6xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<1.000000e+00> : tensor<2x2x1x1xf32> : tensor<2x2x1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.conv %[[V0]], %[[V1]] {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x6xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.relu %[[V2]] : (tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.conv %[[V3]], %[[V1]] {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x6xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x6xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.add %[[V3]], %[[V4]] : (tensor<1x2x4x6xf32>, tensor<1x2x4x6xf32>) -> tensor<1x2x4x6xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.transpose %[[V5]] {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32>
// CHECK-NEXT: return %[[V6]] : tensor<1x4x6x2xf32>
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 384 bytes instead of 768"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 384 bytes instead of 768"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 384 bytes instead of 768"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.conv, Reason="'nn.conv' reads this order, and no place costs less than 192 bytes", Suggestion="give both sides one order of dimensions"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 192 bytes", Suggestion="give the output the order of its operand"
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
// CHECK-LABEL: @attention(
// CHECK-NEXT: %[[V0:.*]] = nn.matmul %arg0, %arg1 {transB = true} : (tensor<2x5x3xf32>, tensor<2x5x3xf32>) -> tensor<2x5x5xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x5x5xf32>
// REMARK: [Missed] LAYOUT-2 | {{.*}}Edge="an input", Node=nn.matmul, Reason="neither operand is constant", Suggestion="make one a constant"
// REMARK: [Passed] LAYOUT-4 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.matmul, Reason="'nn.matmul' reads either order"
func.func @attention(%q: tensor<2x5x3xf32>, %k: tensor<2x5x3xf32>) -> tensor<2x5x5xf32> {
  %0 = nn.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<2x5x3xf32>) -> tensor<2x3x5xf32>
  %1 = nn.matmul %q, %0 : (tensor<2x5x3xf32>, tensor<2x3x5xf32>) -> tensor<2x5x5xf32>
  return %1 : tensor<2x5x5xf32>
}
// CHECK-LABEL: @mean(
// CHECK-NEXT: %[[V0:.*]] = nn.reduce_mean %arg0 {axes = array<i64: 2, 3>, keepdims = false} : (tensor<1x2x4x6xf32>) -> tensor<1x2xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x2xf32>
// REMARK: [Passed] LAYOUT-4 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.reduce_mean, Reason="'nn.reduce_mean' reads either order"
func.func @mean(%x: tensor<1x2x4x6xf32>) -> tensor<1x2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x2x4x6xf32>) -> tensor<1x4x6x2xf32>
  %1 = nn.reduce_mean %0 {axes = array<i64: 1, 2>, keepdims = false} : (tensor<1x4x6x2xf32>) -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

// A reshape that joins the moved dimensions needs them in that order.
// CHECK-LABEL: @regrouped(
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg0 {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.reshape %[[V0]] {shape = array<i64: 8, 3>} : (tensor<4x2x3xf32>) -> tensor<8x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<8x3xf32>
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.reshape, Reason="'nn.reshape' joins or splits dimensions in this order; 96 bytes", Suggestion="reshape before transposing"
func.func @regrouped(%x: tensor<2x3x4xf32>) -> tensor<8x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.reshape %0 {shape = array<i64: 8, 3>} : (tensor<4x2x3xf32>) -> tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// A product of run-time operands gives its result transposed by itself.
// CHECK-LABEL: @free_product(
// CHECK-NEXT: %[[V0:.*]] = nn.matmul %arg1, %arg0 {transA = true, transB = true} : (tensor<2x4xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.relu %[[V0]] : (tensor<4x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x3xf32>
// REMARK: [Missed] LAYOUT-2 | {{.*}}Edge="an input", Node=nn.matmul, Reason="neither operand is constant", Suggestion="make one a constant"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 0 bytes instead of 48"
func.func @free_product(%a: tensor<3x2xf32>, %b: tensor<2x4xf32>) -> tensor<4x3xf32> {
  %0 = nn.matmul %a, %b : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  %1 = nn.relu %0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// Zero points in the shape of their factor with K replaced by 1 turn with it.
// CHECK-LABEL: @zero_points(
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg2 {shape = array<i64: 1, 3>} : (tensor<3x1xui8>) -> tensor<1x3xui8>
// CHECK-NEXT: %[[V1:.*]] = nn.matmul_integer %arg0, %arg1, %[[V0]] {operandSegmentSizes = array<i32: 1, 1, 1, 0>, transA = true} : (tensor<2x3xui8>, tensor<2x4xui8>, tensor<1x3xui8>) -> tensor<3x4xi32>
// CHECK-NEXT: return %[[V1]] : tensor<3x4xi32>
// REMARK: [Missed] LAYOUT-2 | {{.*}}Edge=nn.transpose, Node=nn.matmul_integer, Reason="neither operand is constant", Suggestion="make one a constant"
// REMARK: [Passed] LAYOUT-4 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.matmul_integer, Reason="'nn.matmul_integer' reads either order"
func.func @zero_points(%x: tensor<2x3xui8>, %w: tensor<2x4xui8>, %z: tensor<3x1xui8>) -> tensor<3x4xi32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xui8>) -> tensor<3x2xui8>
  %1 = nn.matmul_integer %0, %w, %z {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<3x2xui8>, tensor<2x4xui8>, tensor<3x1xui8>) -> tensor<3x4xi32>
  return %1 : tensor<3x4xi32>
}

// Two transposes and a plain operand meet in additions: the cheapest cut is one
// transpose of the small plain operand instead of two of the others.
// CHECK-LABEL: @cut(
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x1x3xf32>) -> tensor<1x3x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.add %arg0, %[[V0]] : (tensor<2x3x4xf32>, tensor<1x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x4xf32>
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 48 bytes instead of 192"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 48 bytes instead of 192"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.add, Reason="'nn.add' reads this order, and no place costs less than 48 bytes", Suggestion="give both sides one order of dimensions"
func.func @cut(%x: tensor<2x3x4xf32>, %y: tensor<4x1x3xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = nn.add %0, %y : (tensor<4x2x3xf32>, tensor<4x1x3xf32>) -> tensor<4x2x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

!column = !quant.uniform<i8:f32:1, {0.5, 0.25}>

// [2, 3] flattened after an exchange: the terms come as 0 2 4 1 3 5 of x, so row
// k of W moves to where x has its term.
// CHECK-LABEL: @flattened(
// CHECK-NEXT: %[[V0:.*]] = nn.reshape %arg0 {shape = array<i64: 1, 6>} : (tensor<1x2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<1x6x!quant.uniform<i8:f32, 5.000000e-01:3>>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}0, 10], [2, 12], [4, 14], [1, 11], [3, 13], [5, 15]]> : tensor<6x2xi8> : tensor<6x2x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01}>>
// CHECK-NEXT: %[[V2:.*]] = nn.matmul %[[V0]], %[[V1]] : (tensor<1x6x!quant.uniform<i8:f32, 5.000000e-01:3>>, tensor<6x2x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01}>>) -> tensor<1x2x!quant.uniform<i8:f32, 5.000000e-01:3>>
// CHECK-NEXT: return %[[V2]] : tensor<1x2x!quant.uniform<i8:f32, 5.000000e-01:3>>
// REMARK: [Passed] LAYOUT-4 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.reshape, Reason="'nn.reshape' reads either order"
func.func @flattened(%x: tensor<1x2x3x!q>) -> tensor<1x2x!q> {
  %w = nn.constant dense<[[0, 10], [1, 11], [2, 12], [3, 13], [4, 14], [5, 15]]> : tensor<6x2xi8> : tensor<6x2x!column>
  %0 = nn.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<1x2x3x!q>) -> tensor<1x3x2x!q>
  %1 = nn.reshape %0 {shape = array<i64: 1, 6>} : (tensor<1x3x2x!q>) -> tensor<1x6x!q>
  %2 = nn.matmul %1, %w : (tensor<1x6x!q>, tensor<6x2x!column>) -> tensor<1x2x!q>
  return %2 : tensor<1x2x!q>
}

// The order of a float sum's terms stays.
// CHECK-LABEL: @flattened_float(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<6x2xf32> : tensor<6x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.transpose %arg0 {permutation = array<i64: 0, 2, 1>} : (tensor<1x2x3xf32>) -> tensor<1x3x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] {shape = array<i64: 1, 6>} : (tensor<1x3x2xf32>) -> tensor<1x6xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.matmul %[[V2]], %[[V0]] : (tensor<1x6xf32>, tensor<6x2xf32>) -> tensor<1x2xf32>
// CHECK-NEXT: return %[[V3]] : tensor<1x2xf32>
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.reshape, Reason="'nn.reshape' joins or splits dimensions in this order; 24 bytes", Suggestion="reshape before transposing"
func.func @flattened_float(%x: tensor<1x2x3xf32>) -> tensor<1x2xf32> {
  %w = nn.constant dense<1.0> : tensor<6x2xf32> : tensor<6x2xf32>
  %0 = nn.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<1x2x3xf32>) -> tensor<1x3x2xf32>
  %1 = nn.reshape %0 {shape = array<i64: 1, 6>} : (tensor<1x3x2xf32>) -> tensor<1x6xf32>
  %2 = nn.matmul %1, %w : (tensor<1x6xf32>, tensor<6x2xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}
