// RUN: tally-opt %s --nn-layout --remark-format=emitRemark --remarks-filter=layout 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

!x = !quant.uniform<u8:f32, 0.5:10>
!row = !quant.uniform<i8:f32:0, {0.25:1, 1.0:-2, 0.125}>
!y = !quant.uniform<i8:f32, 1.0:-3>

// W keeps its shape, its bytes and its grid; the grid along its rows is one
// along the columns of the transposed W.
// CHECK-LABEL: @per_row(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!quant.uniform<i8:f32:0, {2.500000e-01:1,1.000000e+00:-2,1.250000e-01}>>
// CHECK-NEXT: %[[V1:.*]] = nn.matmul %arg0, %[[V0]] {transA = true, transB = true} : (tensor<2x4x!quant.uniform<u8:f32, 5.000000e-01:10>>, tensor<3x2x!quant.uniform<i8:f32:0, {2.500000e-01:1,1.000000e+00:-2,1.250000e-01}>>) -> tensor<4x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// CHECK-NEXT: %[[V2:.*]] = nn.transpose %[[V1]] {permutation = array<i64: 1, 0>} : (tensor<4x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>) -> tensor<3x4x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// CHECK-NEXT: return %[[V2]] : tensor<3x4x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 12 bytes", Suggestion="give the output the order of its operand"
func.func @per_row(%x: tensor<2x4x!x>) -> tensor<3x4x!y> {
  %w = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!row>
  %0 = nn.matmul %w, %x : (tensor<3x2x!row>, tensor<2x4x!x>) -> tensor<3x4x!y>
  return %0 : tensor<3x4x!y>
}

// CHECK-LABEL: @float(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<3x2xf32> : tensor<3x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.matmul %arg0, %[[V0]] {transA = true, transB = true} : (tensor<2x4xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.transpose %[[V1]] {permutation = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<3x4xf32>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 48 bytes", Suggestion="give the output the order of its operand"
func.func @float(%x: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %w = nn.constant dense<1.0> : tensor<3x2xf32> : tensor<3x2xf32>
  %0 = nn.matmul %w, %x : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// A zero point per row of the left operand is one per column of the right one,
// in both of its shapes.
// CHECK-LABEL: @integers(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2xi8>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[1, 2, 3]> : tensor<3xi8> : tensor<3xi8>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<{{\[\[}}1], [2], [3]]> : tensor<3x1xi8> : tensor<3x1xi8>
// CHECK-NEXT: %[[V3:.*]] = nn.constant dense<7> : tensor<ui8> : tensor<ui8>
// CHECK-NEXT: %[[V4:.*]] = nn.matmul_integer %arg0, %[[V0]], %[[V3]], %[[V1]] {operandSegmentSizes = array<i32: 1, 1, 1, 1>, transA = true, transB = true} : (tensor<2x4xui8>, tensor<3x2xi8>, tensor<ui8>, tensor<3xi8>) -> tensor<4x3xi32>
// CHECK-NEXT: %[[V5:.*]] = nn.transpose %[[V4]] {permutation = array<i64: 1, 0>} : (tensor<4x3xi32>) -> tensor<3x4xi32>
// CHECK-NEXT: %[[V6:.*]] = nn.matmul_integer %arg0, %[[V0]], %[[V3]], %[[V2]] {operandSegmentSizes = array<i32: 1, 1, 1, 1>, transA = true, transB = true} : (tensor<2x4xui8>, tensor<3x2xi8>, tensor<ui8>, tensor<3x1xi8>) -> tensor<4x3xi32>
// CHECK-NEXT: %[[V7:.*]] = nn.transpose %[[V6]] {permutation = array<i64: 1, 0>} : (tensor<4x3xi32>) -> tensor<3x4xi32>
// CHECK-NEXT: return %[[V5]], %[[V7]] : tensor<3x4xi32>, tensor<3x4xi32>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul_integer, Reason="kernels keep a constant right operand packed"
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul_integer, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 48 bytes", Suggestion="give the output the order of its operand"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 48 bytes", Suggestion="give the output the order of its operand"
func.func @integers(%x: tensor<2x4xui8>) -> (tensor<3x4xi32>, tensor<3x4xi32>) {
  %w = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2xi8>
  %list = nn.constant dense<[1, 2, 3]> : tensor<3xi8> : tensor<3xi8>
  %kept = nn.constant dense<[[1], [2], [3]]> : tensor<3x1xi8> : tensor<3x1xi8>
  %z = nn.constant dense<7> : tensor<ui8> : tensor<ui8>
  %0 = nn.matmul_integer %w, %x, %list, %z {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<3x2xi8>, tensor<2x4xui8>, tensor<3xi8>, tensor<ui8>) -> tensor<3x4xi32>
  %1 = nn.matmul_integer %w, %x, %kept, %z {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<3x2xi8>, tensor<2x4xui8>, tensor<3x1xi8>, tensor<ui8>) -> tensor<3x4xi32>
  return %0, %1 : tensor<3x4xi32>, tensor<3x4xi32>
}

// One column: the transpose left over moves no byte.
// CHECK-LABEL: @vector(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!quant.uniform<i8:f32:0, {2.500000e-01:1,1.000000e+00:-2,1.250000e-01}>>
// CHECK-NEXT: %[[V1:.*]] = nn.matmul %arg0, %[[V0]] {transA = true, transB = true} : (tensor<2x1x!quant.uniform<u8:f32, 5.000000e-01:10>>, tensor<3x2x!quant.uniform<i8:f32:0, {2.500000e-01:1,1.000000e+00:-2,1.250000e-01}>>) -> tensor<1x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// CHECK-NEXT: %[[V2:.*]] = nn.reshape %[[V1]] {shape = array<i64: 3, 1>} : (tensor<1x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>) -> tensor<3x1x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// CHECK-NEXT: return %[[V2]] : tensor<3x1x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
func.func @vector(%x: tensor<2x1x!x>) -> tensor<3x1x!y> {
  %w = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!row>
  %0 = nn.matmul %w, %x : (tensor<3x2x!row>, tensor<2x1x!x>) -> tensor<3x1x!y>
  return %0 : tensor<3x1x!y>
}

// A batch on the right, and one on the left.
// CHECK-LABEL: @batch(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<3x2xf32> : tensor<3x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<2.000000e+00> : tensor<7x1x3x2xf32> : tensor<7x1x3x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.matmul %arg0, %[[V0]] {transA = true, transB = true} : (tensor<5x2x4xf32>, tensor<3x2xf32>) -> tensor<5x4x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.transpose %[[V2]] {permutation = array<i64: 0, 2, 1>} : (tensor<5x4x3xf32>) -> tensor<5x3x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.matmul %arg0, %[[V1]] {transA = true, transB = true} : (tensor<5x2x4xf32>, tensor<7x1x3x2xf32>) -> tensor<7x5x4x3xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.transpose %[[V4]] {permutation = array<i64: 0, 1, 3, 2>} : (tensor<7x5x4x3xf32>) -> tensor<7x5x3x4xf32>
// CHECK-NEXT: return %[[V3]], %[[V5]] : tensor<5x3x4xf32>, tensor<7x5x3x4xf32>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 240 bytes", Suggestion="give the output the order of its operand"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 1680 bytes", Suggestion="give the output the order of its operand"
func.func @batch(%x: tensor<5x2x4xf32>) -> (tensor<5x3x4xf32>, tensor<7x5x3x4xf32>) {
  %w = nn.constant dense<1.0> : tensor<3x2xf32> : tensor<3x2xf32>
  %v = nn.constant dense<2.0> : tensor<7x1x3x2xf32> : tensor<7x1x3x2xf32>
  %0 = nn.matmul %w, %x : (tensor<3x2xf32>, tensor<5x2x4xf32>) -> tensor<5x3x4xf32>
  %1 = nn.matmul %v, %x : (tensor<7x1x3x2xf32>, tensor<5x2x4xf32>) -> tensor<7x5x3x4xf32>
  return %0, %1 : tensor<5x3x4xf32>, tensor<7x5x3x4xf32>
}

// Three products in a row: what one leaves transposed the next one reads so.
// The bias per row of the square product becomes one per column, the bias per
// column one per row, although both have as many elements.
// CHECK-LABEL: @chain(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00, 9.000000e+00]]> : tensor<3x3xf32> : tensor<3x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.matmul %arg0, %[[V0]] {transA = true, transB = true} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00]]> : tensor<1x3xf32> : tensor<1x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.add %[[V1]], %[[V2]] : (tensor<3x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.relu %[[V3]] : (tensor<3x3xf32>) -> tensor<3x3xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.matmul %[[V4]], %[[V0]] {transB = true} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.constant dense<{{\[\[}}1.000000e+00], [2.000000e+00], [3.000000e+00]]> : tensor<3x1xf32> : tensor<3x1xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.add %[[V5]], %[[V6]] : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.matmul %[[V7]], %[[V0]] {transB = true} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.transpose %[[V8]] {permutation = array<i64: 1, 0>} : (tensor<3x3xf32>) -> tensor<3x3xf32>
// CHECK-NEXT: return %[[V9]] : tensor<3x3xf32>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 36 bytes instead of 108"
// REMARK: [Passed] LAYOUT-3 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="transposes of this kind move 36 bytes instead of 108"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 36 bytes", Suggestion="give the output the order of its operand"
func.func @chain(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %w = nn.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32> : tensor<3x3xf32>
  %row = nn.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32> : tensor<3x1xf32>
  %column = nn.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %0 = nn.matmul %w, %x : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %1 = nn.add %0, %row : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  %2 = nn.relu %1 : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %3 = nn.matmul %w, %2 : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %4 = nn.add %3, %column : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %5 = nn.matmul %w, %4 : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return %5 : tensor<3x3xf32>
}

// One reader on its left, one on its right: one W.
// CHECK-LABEL: @both_sides(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> : tensor<2x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.matmul %arg0, %[[V0]] {transA = true, transB = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.transpose %[[V1]] {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.matmul %arg0, %[[V0]] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<2x2xf32>, tensor<2x2xf32>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 16 bytes", Suggestion="give the output the order of its operand"
func.func @both_sides(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %0 = nn.matmul %w, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.matmul %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}

// Codes that a Dequantize keeps are weights, too.
// CHECK-LABEL: @weight_only(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!quant.uniform<i8:f32:0, {2.500000e-01:1,1.000000e+00:-2,1.250000e-01}>>
// CHECK-NEXT: %[[V1:.*]] = nn.dequantize %[[V0]] : (tensor<3x2x!quant.uniform<i8:f32:0, {2.500000e-01:1,1.000000e+00:-2,1.250000e-01}>>) -> tensor<3x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.matmul %arg0, %[[V1]] {transA = true, transB = true} : (tensor<2x4xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.transpose %[[V2]] {permutation = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: return %[[V3]] : tensor<3x4xf32>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.dequantize, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 48 bytes", Suggestion="give the output the order of its operand"
func.func @weight_only(%x: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %w = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!row>
  %0 = nn.dequantize %w : (tensor<3x2x!row>) -> tensor<3x2xf32>
  %1 = nn.matmul %0, %x : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

!k = !quant.uniform<i8:f32:1, {0.5, 0.25}>

// Scales along K cannot leave the sum: the weights are floats, and as such they
// change sides.
// CHECK-LABEL: @along_k(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01}>>
// CHECK-NEXT: %[[V1:.*]] = nn.dequantize %[[V0]] : (tensor<3x2x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01}>>) -> tensor<3x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.matmul %arg0, %[[V1]] {transA = true, transB = true} : (tensor<2x4xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.transpose %[[V2]] {permutation = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: return %[[V3]] : tensor<3x4xf32>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.dequantize, Node=nn.matmul, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 48 bytes", Suggestion="give the output the order of its operand"
func.func @along_k(%x: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %w = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!k>
  %0 = nn.dequantize %w : (tensor<3x2x!k>) -> tensor<3x2xf32>
  %1 = nn.matmul %0, %x : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}
