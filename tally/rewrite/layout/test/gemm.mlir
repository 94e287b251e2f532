// RUN: tally-opt %s --nn-layout --remark-format=emitRemark --remarks-filter=layout 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

!x = !quant.uniform<u8:f32, 0.5:10>
!w = !quant.uniform<i8:f32:0, {0.25, 1.0, 0.125}>
!one = !quant.uniform<i8:f32, 0.1>
!third = !quant.uniform<u8:f32, 0.3>
!b = !quant.uniform<i32:f32:0, {0.125, 0.5, 0.0625}>
!y = !quant.uniform<i8:f32, 1.0:-3>

// Flags turn, alpha and beta stay, the bias per row becomes one per column.
func.func @turned(%x: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %w = nn.constant dense<1.0> : tensor<2x3xf32> : tensor<2x3xf32>
  %c = nn.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32> : tensor<3x1xf32>
  %0 = nn.gemm %w, %x, %c {alpha = 2.0 : f32, beta = 3.0 : f32, transA = true, transB = false} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// A matrix of addends is transposed at compile time.
func.func @matrix(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %w = nn.constant dense<1.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %c = nn.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32> : tensor<2x4xf32>
  %0 = nn.gemm %w, %x, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = true} : (tensor<2x2xf32>, tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// The bias codes' axis 0 of [3, 1] becomes axis 1 of [1, 3].
func.func @codes(%x: tensor<2x4x!x>) -> tensor<3x4x!y> {
  %w = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!w>
  %c = nn.constant dense<[[1], [2], [3]]> : tensor<3x1xi32> : tensor<3x1x!b>
  %0 = nn.gemm %w, %x, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<3x2x!w>, tensor<2x4x!x>, tensor<3x1x!b>) -> tensor<3x4x!y>
  return %0 : tensor<3x4x!y>
}

func.func @computed_addend(%x: tensor<2x4xf32>, %c: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %w = nn.constant dense<1.0> : tensor<3x2xf32> : tensor<3x2xf32>
  %0 = nn.gemm %w, %x, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<3x2xf32>, tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @codes_by_column(%x: tensor<2x3x!third>) -> tensor<3x3x!y> {
  %w = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!one>
  %c = nn.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %0 = nn.gemm %w, %x, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<3x2x!one>, tensor<2x3x!third>, tensor<3xf32>) -> tensor<3x3x!y>
  return %0 : tensor<3x3x!y>
}

// fl32(fl32(0.7 * 0.1) * 0.3) is not fl32(fl32(0.7 * 0.3) * 0.1).
func.func @alpha(%x: tensor<2x3x!third>) -> tensor<3x3x!y> {
  %w = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!one>
  %0 = nn.gemm %w, %x {alpha = 0.7 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<3x2x!one>, tensor<2x3x!third>) -> tensor<3x3x!y>
  return %0 : tensor<3x3x!y>
}

// A power of two rounds nothing.
func.func @alpha_exact(%x: tensor<2x3x!third>) -> tensor<3x3x!y> {
  %w = nn.constant dense<1> : tensor<3x2xi8> : tensor<3x2x!one>
  %0 = nn.gemm %w, %x {alpha = 0.5 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<3x2x!one>, tensor<2x3x!third>) -> tensor<3x3x!y>
  return %0 : tensor<3x3x!y>
}

func.func @no_weight(%a: tensor<3x2xf32>, %x: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = nn.matmul %a, %x : (tensor<3x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
