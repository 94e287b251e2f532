// RUN: tally-opt %s --nn-layout --remark-format=emitRemark --remarks-filter=layout 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

!half = !quant.uniform<i8:f32, 0.5>
!quarter = !quant.uniform<i8:f32, 0.25>

// Equal type and content: one constant. Another grid or shape is another one.
func.func @constants() -> (tensor<2x!half>, tensor<2x!half>, tensor<2x!quarter>, tensor<1x2x!half>) {
  %0 = nn.constant dense<[1, 2]> : tensor<2xi8> : tensor<2x!half>
  %1 = nn.constant dense<[1, 2]> : tensor<2xi8> : tensor<2x!half>
  %2 = nn.constant dense<[1, 2]> : tensor<2xi8> : tensor<2x!quarter>
  %3 = nn.constant dense<[[1, 2]]> : tensor<1x2xi8> : tensor<1x2x!half>
  return %0, %1, %2, %3 : tensor<2x!half>, tensor<2x!half>, tensor<2x!quarter>, tensor<1x2x!half>
}

// Equal operations are done once.
func.func @operations(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// A table of embeddings that also is the last layer's weight: the product reads
// it transposed, and it is stored once.
func.func @tied(%ids: tensor<4xi64>) -> tensor<4x3xf32> {
  %e = nn.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32> : tensor<3x2xf32>
  %t = nn.transpose %e {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %0 = nn.gather %e, %ids {axis = 0 : i64} : (tensor<3x2xf32>, tensor<4xi64>) -> tensor<4x2xf32>
  %1 = nn.matmul %0, %t : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// An addition cannot read its operand transposed: a second copy.
func.func @second_copy(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %t = nn.transpose %w {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %0 = nn.add %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.mul %x, %t : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}
