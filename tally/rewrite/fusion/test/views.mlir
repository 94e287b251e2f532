// RUN: tally-opt %s --nn-fuse | FileCheck %s
// RUN: tally-opt %s --nn-fuse | tally-check - --executor=eval

// A transpose that moves only dimensions of size 1 is a reshape.
// [1, 2] + [0, -3] = [1, -1] -> relu [1, 0].
// CHECK-LABEL: @unit_dimensions
// CHECK: nn.fused
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.reshape {{.*}} {shape = array<i64: 2, 1, 1>}
// CHECK-NEXT: nn.relu
func.func @unit_dimensions(%x: tensor<1x2x1xf32>, %y: tensor<1x2x1xf32>) -> tensor<2x1x1xf32> attributes {
    inputs = [dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>, dense<[[[0.0], [-3.0]]]> : tensor<1x2x1xf32>],
    expected = [dense<[[[1.0]], [[0.0]]]> : tensor<2x1x1xf32>]} {
  %0 = nn.add %x, %y : (tensor<1x2x1xf32>, tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 2, 0>} : (tensor<1x2x1xf32>) -> tensor<2x1x1xf32>
  %2 = nn.relu %1 : (tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  return %2 : tensor<2x1x1xf32>
}

// A slice of everything and an expansion by nothing keep every element.
// CHECK-LABEL: @nothing_moves
// CHECK: nn.fused
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.relu
func.func @nothing_moves(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<1x2xf32> attributes {
    inputs = [dense<[1.0, 2.0]> : tensor<2xf32>, dense<[0.0, -3.0]> : tensor<2xf32>],
    expected = [dense<[[1.0, 0.0]]> : tensor<1x2xf32>]} {
  %0 = nn.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = nn.slice %0 {sizes = array<i64: 2>, starts = array<i64: 0>, steps = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = nn.expand %1 {shape = array<i64: 1, 2>} : (tensor<2xf32>) -> tensor<1x2xf32>
  %3 = nn.relu %2 : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return %3 : tensor<1x2xf32>
}

// A transpose of 2x2, a reversing slice and a repetition move elements:
// sum [[1, -2], [3, -4]]; transposed, then relu: [[1, 3], [0, 0]];
// reversed: [[3, 0], [1, 0]]; first row twice: [[1, 0], [1, 0]].
// CHECK-LABEL: @elements_move
// CHECK-NOT: nn.fused
// CHECK: return
func.func @elements_move(%x: tensor<2x2xf32>, %y: tensor<1x1xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) attributes {
    inputs = [dense<[[1.0, -2.0], [3.0, -4.0]]> : tensor<2x2xf32>, dense<0.0> : tensor<1x1xf32>],
    expected = [dense<[[1.0, 3.0], [0.0, 0.0]]> : tensor<2x2xf32>, dense<[[3.0, 0.0], [1.0, 0.0]]> : tensor<2x2xf32>, dense<[[1.0, 0.0], [1.0, 0.0]]> : tensor<2x2xf32>]} {
  %0 = nn.add %x, %y : (tensor<2x2xf32>, tensor<1x1xf32>) -> tensor<2x2xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.relu %1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = nn.sub %x, %y : (tensor<2x2xf32>, tensor<1x1xf32>) -> tensor<2x2xf32>
  %4 = nn.slice %3 {sizes = array<i64: 2, 2>, starts = array<i64: 1, 0>, steps = array<i64: -1, 1>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %5 = nn.relu %4 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %6 = nn.slice %x {sizes = array<i64: 1, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %7 = nn.add %6, %y : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
  %8 = nn.expand %7 {shape = array<i64: 2, 2>} : (tensor<1x2xf32>) -> tensor<2x2xf32>
  %9 = nn.relu %8 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2, %5, %9 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
