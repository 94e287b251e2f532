// RUN: tally-opt %s --nn-layout --remark-format=emitRemark --remarks-filter=layout 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

!x = !quant.uniform<u8:f32, 0.5:10>
!row = !quant.uniform<i8:f32:0, {0.25:1, 1.0:-2, 0.125}>
!y = !quant.uniform<i8:f32, 1.0:-3>

// W keeps its shape, its bytes and its grid; the grid along its rows is one
// along the columns of the transposed W.
func.func @per_row(%x: tensor<2x4x!x>) -> tensor<3x4x!y> {
  %w = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!row>
  %0 = nn.matmul %w, %x : (tensor<3x2x!row>, tensor<2x4x!x>) -> tensor<3x4x!y>
  return %0 : tensor<3x4x!y>
}

func.func @float(%x: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %w = nn.constant dense<1.0> : tensor<3x2xf32> : tensor<3x2xf32>
  %0 = nn.matmul %w, %x : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// A zero point per row of the left operand is one per column of the right one,
// in both of its shapes.
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
func.func @vector(%x: tensor<2x1x!x>) -> tensor<3x1x!y> {
  %w = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!row>
  %0 = nn.matmul %w, %x : (tensor<3x2x!row>, tensor<2x1x!x>) -> tensor<3x1x!y>
  return %0 : tensor<3x1x!y>
}

// A batch on the right, and one on the left.
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
func.func @both_sides(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %0 = nn.matmul %w, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.matmul %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}

// Codes that a Dequantize keeps are weights, too.
func.func @weight_only(%x: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %w = nn.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> : tensor<3x2x!row>
  %0 = nn.dequantize %w : (tensor<3x2x!row>) -> tensor<3x2xf32>
  %1 = nn.matmul %0, %x : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}
