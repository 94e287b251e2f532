// RUN: tally-opt %s --nn-layout --remark-format=emitRemark --remarks-filter=layout 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

!x = !quant.uniform<u8:f32, 0.5:10>
!w = !quant.uniform<i8:f32:0, {0.25, 1.0, 0.125}>
!one = !quant.uniform<i8:f32, 0.1>
!odd = !quant.uniform<u8:f32, 0.13>
!b = !quant.uniform<i32:f32:0, {0.125, 0.5, 0.0625}>
!y = !quant.uniform<i8:f32, 1.0:-3>

// Flags turn, alpha and beta stay, the bias per row becomes one per column.
// CHECK-LABEL: @turned(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<2x3xf32> : tensor<2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00]]> : tensor<1x3xf32> : tensor<1x3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.gemm %arg0, %[[V0]], %[[V1]] {alpha = 2.000000e+00 : f32, beta = 3.000000e+00 : f32, transA = true, transB = false} : (tensor<2x4xf32>, tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.transpose %[[V2]] {permutation = array<i64: 1, 0>} : (tensor<4x3xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: return %[[V3]] : tensor<3x4xf32>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.gemm, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 48 bytes", Suggestion="give the output the order of its operand"
func.func @turned(%x: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %w = nn.constant dense<1.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %c = nn.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32> : tensor<3x1xf32>
  %0 = nn.gemm %w, %x, %c {alpha = 2.0 : f32, beta = 3.0 : f32, transA = true, transB = false} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// A matrix of addends is transposed at compile time.
// CHECK-LABEL: @matrix(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<2x2xf32> : tensor<2x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 5.000000e+00], [2.000000e+00, 6.000000e+00], [3.000000e+00, 7.000000e+00], [4.000000e+00, 8.000000e+00]]> : tensor<4x2xf32> : tensor<4x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.gemm %arg0, %[[V0]], %[[V1]] {alpha = 1.000000e+00 : f32, beta = 1.000000e+00 : f32, transA = false, transB = true} : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.transpose %[[V2]] {permutation = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: return %[[V3]] : tensor<2x4xf32>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.gemm, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 32 bytes", Suggestion="give the output the order of its operand"
func.func @matrix(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %w = nn.constant dense<1.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %c = nn.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32> : tensor<2x4xf32>
  %0 = nn.gemm %w, %x, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = true} : (tensor<2x2xf32>, tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// The bias codes' axis 0 of [3, 1] becomes axis 1 of [1, 3].
// CHECK-LABEL: @codes(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!quant.uniform<i8:f32:0, {2.500000e-01,1.000000e+00,1.250000e-01}>>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}1, 2, 3]]> : tensor<1x3xi32> : tensor<1x3x!quant.uniform<i32:f32:1, {1.250000e-01,5.000000e-01,6.250000e-02}>>
// CHECK-NEXT: %[[V2:.*]] = nn.gemm %arg0, %[[V0]], %[[V1]] {alpha = 1.000000e+00 : f32, beta = 1.000000e+00 : f32, transA = true, transB = true} : (tensor<2x4x!quant.uniform<u8:f32, 5.000000e-01:10>>, tensor<3x2x!quant.uniform<i8:f32:0, {2.500000e-01,1.000000e+00,1.250000e-01}>>, tensor<1x3x!quant.uniform<i32:f32:1, {1.250000e-01,5.000000e-01,6.250000e-02}>>) -> tensor<4x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// CHECK-NEXT: %[[V3:.*]] = nn.transpose %[[V2]] {permutation = array<i64: 1, 0>} : (tensor<4x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>) -> tensor<3x4x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// CHECK-NEXT: return %[[V3]] : tensor<3x4x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.gemm, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 12 bytes", Suggestion="give the output the order of its operand"
func.func @codes(%x: tensor<2x4x!x>) -> tensor<3x4x!y> {
  %w = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!w>
  %c = nn.constant dense<[[1], [2], [3]]> : tensor<3x1xi32> : tensor<3x1x!b>
  %0 = nn.gemm %w, %x, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<3x2x!w>, tensor<2x4x!x>, tensor<3x1x!b>) -> tensor<3x4x!y>
  return %0 : tensor<3x4x!y>
}

// CHECK-LABEL: @computed_addend(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1.000000e+00> : tensor<3x2xf32> : tensor<3x2xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.gemm %[[V0]], %arg0, %arg1 {alpha = 1.000000e+00 : f32, beta = 1.000000e+00 : f32, transA = false, transB = false} : (tensor<3x2xf32>, tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<3x4xf32>
// REMARK: [Missed] LAYOUT-2 | {{.*}}Edge=nn.constant, Node=nn.gemm, Reason="its C is computed and would have to be transposed", Suggestion="add C by a node of its own"
func.func @computed_addend(%x: tensor<2x4xf32>, %c: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %w = nn.constant dense<1.0> : tensor<3x2xf32> : tensor<3x2xf32>
  %0 = nn.gemm %w, %x, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<3x2xf32>, tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: @codes_by_column(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01>>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32> : tensor<3xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.gemm %[[V0]], %arg0, %[[V1]] {alpha = 1.000000e+00 : f32, beta = 1.000000e+00 : f32, transA = false, transB = false} : (tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x3x!quant.uniform<u8:f32, 1.300000e-01>>, tensor<3xf32>) -> tensor<3x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// CHECK-NEXT: return %[[V2]] : tensor<3x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// REMARK: [Missed] LAYOUT-2 | {{.*}}Edge=nn.constant, Node=nn.gemm, Reason="its C differs by column, and codes take one addend per column of the exchanged product, that is per row", Suggestion="give C the shape [M, 1], or add it by a node of its own"
func.func @codes_by_column(%x: tensor<2x3x!odd>) -> tensor<3x3x!y> {
  %w = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!one>
  %c = nn.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %0 = nn.gemm %w, %x, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<3x2x!one>, tensor<2x3x!odd>, tensor<3xf32>) -> tensor<3x3x!y>
  return %0 : tensor<3x3x!y>
}

// fl32(fl32(0.7 * 0.1) * 0.13) is not fl32(fl32(0.7 * 0.13) * 0.1).
// CHECK-LABEL: @alpha(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01>>
// CHECK-NEXT: %[[V1:.*]] = nn.gemm %[[V0]], %arg0 {alpha = 0.699999988 : f32, beta = 1.000000e+00 : f32, transA = false, transB = false} : (tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<2x3x!quant.uniform<u8:f32, 1.300000e-01>>) -> tensor<3x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// CHECK-NEXT: return %[[V1]] : tensor<3x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// REMARK: [Missed] LAYOUT-2 | {{.*}}Edge=nn.constant, Node=nn.gemm, Reason="alpha times the scales rounds differently in the other order", Suggestion="fold alpha into a scale"
func.func @alpha(%x: tensor<2x3x!odd>) -> tensor<3x3x!y> {
  %w = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!one>
  %0 = nn.gemm %w, %x {alpha = 0.7 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<3x2x!one>, tensor<2x3x!odd>) -> tensor<3x3x!y>
  return %0 : tensor<3x3x!y>
}

// A power of two rounds nothing.
// CHECK-LABEL: @alpha_exact(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01>>
// CHECK-NEXT: %[[V1:.*]] = nn.gemm %arg0, %[[V0]] {alpha = 5.000000e-01 : f32, beta = 1.000000e+00 : f32, transA = true, transB = true} : (tensor<2x3x!quant.uniform<u8:f32, 1.300000e-01>>, tensor<3x2x!quant.uniform<i8:f32, 1.000000e-01>>) -> tensor<3x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// CHECK-NEXT: %[[V2:.*]] = nn.transpose %[[V1]] {permutation = array<i64: 1, 0>} : (tensor<3x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>) -> tensor<3x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// CHECK-NEXT: return %[[V2]] : tensor<3x3x!quant.uniform<i8:f32, 1.000000e+00:-3>>
// REMARK: [Passed] LAYOUT-1 | {{.*}}Edge=nn.constant, Node=nn.gemm, Reason="kernels keep a constant right operand packed"
// REMARK: [Missed] LAYOUT-5 | {{.*}}Edge=nn.transpose, Node=nn.transpose, Reason="an output has this order; 9 bytes", Suggestion="give the output the order of its operand"
func.func @alpha_exact(%x: tensor<2x3x!odd>) -> tensor<3x3x!y> {
  %w = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!one>
  %0 = nn.gemm %w, %x {alpha = 0.5 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<3x2x!one>, tensor<2x3x!odd>) -> tensor<3x3x!y>
  return %0 : tensor<3x3x!y>
}

// CHECK-LABEL: @no_weight(
// CHECK-NEXT: %[[V0:.*]] = nn.matmul %arg0, %arg1 : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<3x4xf32>
// REMARK: [Missed] LAYOUT-2 | {{.*}}Edge="an input", Node=nn.matmul, Reason="neither operand is constant", Suggestion="make one a constant"
func.func @no_weight(%a: tensor<3x2xf32>, %x: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = nn.matmul %a, %x : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// Dequantized weights on both sides stay codes; there is nothing to stream.
// CHECK-LABEL: @both_constant(
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<1> : tensor<2x2xi8> : tensor<2x2x!quant.uniform<i8:f32, 1.000000e-01>>
// CHECK-NEXT: %[[V1:.*]] = nn.dequantize %[[V0]] : (tensor<2x2x!quant.uniform<i8:f32, 1.000000e-01>>) -> tensor<2x2xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.matmul %[[V1]], %[[V1]] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x2xf32>
// REMARK: [Missed] LAYOUT-2 | {{.*}}Edge=nn.dequantize, Node=nn.matmul, Reason="both operands are constant", Suggestion="compute it ahead of time"
func.func @both_constant() -> tensor<2x2xf32> {
  %a = nn.constant dense<1> : tensor<2x2xi8> : tensor<2x2x!one>
  %0 = nn.dequantize %a : (tensor<2x2x!one>) -> tensor<2x2xf32>
  %1 = nn.matmul %0, %0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
