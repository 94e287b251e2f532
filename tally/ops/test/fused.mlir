// RUN: tally-check %s --executor=eval,cpu
// RUN: tally-opt %s | tally-opt | FileCheck %s
// RUN: tally-opt %s --mlir-print-op-generic | tally-opt | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32, 0.25>
!a = !quant.uniform<i8:f32, 1.0:3>
!b = !quant.uniform<i8:f32, 3.0:-128>

// Both roundings happen. Reals of x: 1.5, 2, -2; of w: 2, 1; products
// 0.5 * 0.25 * (3 * 8 + 4 * 4) = 5 -> 5 + 3 = 8 on !a, and
// 0.125 * (-4 * 8 + 36 * 4) = 14 -> 17; relu onto !b: 5/3 = 1.67 -> 2 - 128,
// 14/3 = 4.67 -> 5 - 128.
// CHECK-LABEL: func.func @product_and_relu
// CHECK: nn.fused (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<2x2x
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: nn.relu
// CHECK-NEXT: nn.yield
func.func @product_and_relu(%x: tensor<2x2x!x>, %w: tensor<2x1x!w>) -> tensor<2x1x!b> attributes {
    inputs = [dense<[[3, 4], [-4, 36]]> : tensor<2x2xi8>, dense<[[8], [4]]> : tensor<2x1xi8>],
    expected = [dense<[[-126], [-123]]> : tensor<2x1xi8>]} {
  %0 = nn.fused (%a = %x, %v = %w) : (tensor<2x2x!x>, tensor<2x1x!w>) -> tensor<2x1x!b> {
    %1 = nn.matmul %a, %v : (tensor<2x2x!x>, tensor<2x1x!w>) -> tensor<2x1x!a>
    %2 = nn.relu %1 : (tensor<2x1x!a>) -> tensor<2x1x!b>
    nn.yield %2 : tensor<2x1x!b>
  }
  return %0 : tensor<2x1x!b>
}

// Rounding twice is not rounding once: 1.5 * 1 = 1.5 -> 2 on steps of 1, then
// 2/4 -> 0; and 2.5 -> 2 -> 0. 6.5 -> 6 -> 6/4 = 1.5 -> 2, while 6.5/4 is 1.6.
// 2 + 2 = 4 would be 1 step. Saturation: 63.5 * 4 = 254 -> 127 -> 31.75 -> 32.
!one = !quant.uniform<i8:f32, 1.0>
!four = !quant.uniform<i8:f32, 4.0>
func.func @every_rounding(%x: tensor<4x!x>, %y: tensor<4x!x>) -> tensor<4x!four> attributes {
    inputs = [dense<[3, 5, 13, 127]> : tensor<4xi8>, dense<[0, 0, 0, 127]> : tensor<4xi8>],
    expected = [dense<[0, 0, 2, 32]> : tensor<4xi8>]} {
  %0 = nn.fused (%a = %x, %b = %y) : (tensor<4x!x>, tensor<4x!x>) -> tensor<4x!four> {
    %1 = nn.add %a, %b : (tensor<4x!x>, tensor<4x!x>) -> tensor<4x!one>
    %2 = nn.requantize %1 : (tensor<4x!one>) -> tensor<4x!four>
    nn.yield %2 : tensor<4x!four>
  }
  return %0 : tensor<4x!four>
}

// A residual, an operand absent in the middle (no bias), a reshape between:
// conv 1x1 with weight 2: 2 * [1, -2, 3, -4] = [2, -4, 6, -8]; as 2x2, plus
// [[1], [2]] per row: [[3, -3], [8, -6]]; relu.
func.func @residual_behind_a_reshape(%x: tensor<1x1x4xf32>, %w: tensor<1x1x1xf32>, %r: tensor<2x1xf32>) -> tensor<2x2xf32> attributes {
    inputs = [dense<[[[1.0, -2.0, 3.0, -4.0]]]> : tensor<1x1x4xf32>, dense<2.0> : tensor<1x1x1xf32>, dense<[[1.0], [2.0]]> : tensor<2x1xf32>],
    expected = [dense<[[3.0, 0.0], [8.0, 0.0]]> : tensor<2x2xf32>]} {
  %0 = nn.fused (%a = %x, %v = %w, %s = %r) : (tensor<1x1x4xf32>, tensor<1x1x1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32> {
    %1 = nn.conv %a, %v {dilations = array<i64: 1>, group = 1 : i64, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x4xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
    %2 = nn.reshape %1 {shape = array<i64: 2, 2>} : (tensor<1x1x4xf32>) -> tensor<2x2xf32>
    %3 = nn.add %2, %s : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
    %4 = nn.relu %3 : (tensor<2x2xf32>) -> tensor<2x2xf32>
    nn.yield %4 : tensor<2x2xf32>
  }
  return %0 : tensor<2x2xf32>
}
