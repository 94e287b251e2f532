// RUN: tally-opt %s --nn-layout --remark-format=emitRemark --remarks-filter=layout 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

!half = !quant.uniform<i8:f32, 0.5>
!quarter = !quant.uniform<i8:f32, 0.25>

// Equal type and content: one constant. Another grid or shape is another one.
// CHECK-LABEL: @constants(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<[1, 2]> : tensor<2xi8> : tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[1, 2]> : tensor<2xi8> : tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>
// CHECK-NEXT: %[[V2:.*]] = nn.constant dense<{{\[\[}}1, 2]]> : tensor<1x2xi8> : tensor<1x2x!quant.uniform<i8:f32, 5.000000e-01>>
// CHECK-NEXT: return %[[V0]], %[[V0]], %[[V1]], %[[V2]] : tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>, tensor<1x2x!quant.uniform<i8:f32, 5.000000e-01>>
// REMARK: [Passed] LAYOUT-6 | {{.*}}Edge=nn.constant, Node=nn.constant, Other=nn.constant
func.func @constants() -> (tensor<2x!half>, tensor<2x!half>, tensor<2x!quarter>, tensor<1x2x!half>) {
  %0 = nn.constant dense<[1, 2]> : tensor<2xi8> : tensor<2x!half>
  %1 = nn.constant dense<[1, 2]> : tensor<2xi8> : tensor<2x!half>
  %2 = nn.constant dense<[1, 2]> : tensor<2xi8> : tensor<2x!quarter>
  %3 = nn.constant dense<[[1, 2]]> : tensor<1x2xi8> : tensor<1x2x!half>
  return %0, %1, %2, %3 : tensor<2x!half>, tensor<2x!half>, tensor<2x!quarter>, tensor<1x2x!half>
}

// Equal operations are done once.
// CHECK-LABEL: @operations(
// CHECK-NEXT: %[[V0:.*]] = nn.relu %arg0 : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: return %[[V0]], %[[V0]] : tensor<2xf32>, tensor<2xf32>
func.func @operations(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = nn.relu %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// A table of embeddings that also is the last layer's weight: the product reads
// it transposed, and it is stored once.
// CHECK-LABEL: @tied(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<3x2xf32> : tensor<3x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.gather %[[V0]], %arg0 {axis = 0 : i64} : (tensor<3x2xf32>, tensor<4xi64>) -> tensor<4x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.matmul %[[V1]], %[[V0]] {transB = true} : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x3xf32>
// REMARK: [Passed] LAYOUT-4 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Other=nn.matmul, Reason="'nn.matmul' reads either order"
func.func @tied(%ids: tensor<4xi64>) -> tensor<4x3xf32> {
  %e = nn.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32> : tensor<3x2xf32>
  %t = nn.transpose %e {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %0 = nn.gather %e, %ids {axis = 0 : i64} : (tensor<3x2xf32>, tensor<4xi64>) -> tensor<4x2xf32>
  %1 = nn.matmul %0, %t : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// An addition cannot read its operand transposed: a second copy.
// CHECK-LABEL: @second_copy(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> : tensor<2x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> : tensor<2x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.add %arg0, %[[V0]] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.mul %arg0, %[[V1]] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<2x2xf32>, tensor<2x2xf32>
// REMARK: [Missed] LAYOUT-7 | {{.*}}Edge=nn.constant, Node=nn.transpose, Reason="'nn.mul' needs it transposed, other readers do not", Suggestion="read it in one order everywhere"
func.func @second_copy(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = nn.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %t = nn.transpose %w {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %0 = nn.add %x, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.mul %x, %t : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}
