// RUN: tally-opt %s --nn-quantize | FileCheck %s

!x = !quant.uniform<i8:f32, 5.000000e-01:3>
!w = !quant.uniform<i8:f32:0, {2.500000e-01, 1.250000e-01}>
!b = !quant.uniform<i32:f32:0, {1.250000e-01, 6.250000e-02}>
!y = !quant.uniform<i8:f32, 1.000000e+00:-5>

// CHECK: module attributes {nn.groups_replaced}

// The Relu between convolution and Quantize is done on codes of the result's
// grid: rounding is monotone, so both orders give the same codes.
// CHECK-LABEL: @conv_relu
// CHECK-NEXT: %[[CONV:.*]] = nn.conv %arg0, %arg1, %arg2 {{.*}} -> tensor<1x2x3x3x[[GRID:.*]]>
// CHECK-NEXT: %[[RELU:.*]] = nn.relu %[[CONV]] : (tensor<1x2x3x3x[[GRID]]>) -> tensor<1x2x3x3x[[GRID]]>
// CHECK-NEXT: return %[[RELU]]
func.func @conv_relu(%x: tensor<1x1x3x3x!x>, %w: tensor<2x1x1x1x!w>,
                     %b: tensor<2x!b>) -> tensor<1x2x3x3x!y> {
  %0 = nn.dequantize %x : (tensor<1x1x3x3x!x>) -> tensor<1x1x3x3xf32>
  %1 = nn.dequantize %w : (tensor<2x1x1x1x!w>) -> tensor<2x1x1x1xf32>
  %2 = nn.dequantize %b : (tensor<2x!b>) -> tensor<2xf32>
  %3 = nn.conv %0, %1, %2 {strides = array<i64: 1, 1>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
      group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>,
                          tensor<2xf32>) -> tensor<1x2x3x3xf32>
  %4 = nn.relu %3 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %5 = nn.quantize %4 : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3x!y>
  return %5 : tensor<1x2x3x3x!y>
}

// A second reader keeps the float tensor; the Quantize still closes a group.
// CHECK-LABEL: @two_readers
// CHECK: nn.dequantize
// CHECK: %[[SUM:.*]] = nn.add {{.*}} -> tensor<4xf32>
// CHECK: %[[CODES:.*]] = nn.add {{.*}} -> tensor<4x!quant
// CHECK: return %[[CODES]], %[[SUM]]
func.func @two_readers(%x: tensor<4x!x>) -> (tensor<4x!y>, tensor<4xf32>) {
  %0 = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.add %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.quantize %1 : (tensor<4xf32>) -> tensor<4x!y>
  return %2, %1 : tensor<4x!y>, tensor<4xf32>
}

// A bare requantization, and one on the same grid, which vanishes.
// CHECK-LABEL: @requantize
// CHECK-NEXT: %[[MOVED:.*]] = nn.requantize %arg0
// CHECK-NEXT: return %[[MOVED]], %arg0
func.func @requantize(%x: tensor<4x!x>) -> (tensor<4x!y>, tensor<4x!x>) {
  %0 = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.quantize %0 : (tensor<4xf32>) -> tensor<4x!y>
  %2 = nn.quantize %0 : (tensor<4xf32>) -> tensor<4x!x>
  return %1, %2 : tensor<4x!y>, tensor<4x!x>
}

// An operand that is not dequantized: no group, the floats stay.
// CHECK-LABEL: @no_group
// CHECK: nn.add {{.*}} -> tensor<4xf32>
// CHECK: nn.quantize
func.func @no_group(%x: tensor<4x!x>, %f: tensor<4xf32>) -> tensor<4x!y> {
  %0 = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.add %0, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.quantize %1 : (tensor<4xf32>) -> tensor<4x!y>
  return %2 : tensor<4x!y>
}

// The addend is computed, so this is no group; it is none either when the
// Transpose has become a constant.
// CHECK-LABEL: @completed_by_folding
// CHECK-NOT: nn.transpose
// CHECK: %[[PRODUCT:.*]] = nn.gemm {{.*}} -> tensor<2x2xf32>
// CHECK-NEXT: nn.quantize %[[PRODUCT]]
func.func @completed_by_folding(%x: tensor<2x2x!x>) -> tensor<2x2x!y> {
  %c = nn.constant dense<[[0.1, 0.2], [0.3, 0.4]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %0 = nn.dequantize %x : (tensor<2x2x!x>) -> tensor<2x2xf32>
  %1 = nn.transpose %c {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.gemm %0, %0, %1 {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = nn.quantize %2 : (tensor<2x2xf32>) -> tensor<2x2x!y>
  return %3 : tensor<2x2x!y>
}
