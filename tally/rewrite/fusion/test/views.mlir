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

// A Relu on a grid whose zero point is the smallest code keeps every code and is
// left out; the reshape that stood before it goes behind the chain, which ends
// with an elementwise operator. Sums 10 and -3, magnitudes 10 and 3, on s = 2:
// 5 and 1.5 -> 2 above -128.
!i = !quant.uniform<i8:f32, 1.0>
!low = !quant.uniform<i8:f32, 2.0:-128>
// CHECK-LABEL: @view_before_what_is_left_out
// CHECK: %[[CHAIN:.*]] = nn.fused
// CHECK-NEXT: nn.add
// CHECK-NEXT: %[[ABS:.*]] = nn.abs
// CHECK-NEXT: nn.yield %[[ABS]]
// CHECK: %[[VIEW:.*]] = nn.reshape %[[CHAIN]]
// CHECK-NEXT: return %[[VIEW]]
func.func @view_before_what_is_left_out(%x: tensor<2x!i>, %y: tensor<2x!i>) -> tensor<1x2x!low> attributes {
    inputs = [dense<[10, -3]> : tensor<2xi8>, dense<0> : tensor<2xi8>],
    expected = [dense<[[-123, -126]]> : tensor<1x2xi8>]} {
  %0 = nn.add %x, %y : (tensor<2x!i>, tensor<2x!i>) -> tensor<2x!i>
  %1 = nn.abs %0 : (tensor<2x!i>) -> tensor<2x!low>
  %2 = nn.reshape %1 {shape = array<i64: 1, 2>} : (tensor<2x!low>) -> tensor<1x2x!low>
  %3 = nn.relu %2 : (tensor<1x2x!low>) -> tensor<1x2x!low>
  return %3 : tensor<1x2x!low>
}

// With nothing but the view and that Relu, no chain is left.
// CHECK-LABEL: @only_a_view_is_left
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: return
func.func @only_a_view_is_left(%x: tensor<2x!i>, %y: tensor<2x!i>) -> tensor<2x1x!low> attributes {
    inputs = [dense<[10, -3]> : tensor<2xi8>, dense<0> : tensor<2xi8>],
    expected = [dense<[[-123], [-128]]> : tensor<2x1xi8>]} {
  %0 = nn.add %x, %y : (tensor<2x!i>, tensor<2x!i>) -> tensor<2x!low>
  %1 = nn.reshape %0 {shape = array<i64: 1, 2>} : (tensor<2x!low>) -> tensor<1x2x!low>
  %2 = nn.reshape %1 {shape = array<i64: 2, 1>} : (tensor<1x2x!low>) -> tensor<2x1x!low>
  %3 = nn.relu %2 : (tensor<2x1x!low>) -> tensor<2x1x!low>
  return %3 : tensor<2x1x!low>
}
