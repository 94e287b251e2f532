// RUN: tally-opt %s --nn-fuse | FileCheck %s
// RUN: tally-opt %s --nn-fuse --nn-fuse | FileCheck %s
// RUN: tally-opt %s --nn-fuse --nn-unfuse > %t.apart
// RUN: tally-opt %s > %t.before
// RUN: diff %t.before %t.apart

!x = !quant.uniform<i8:f32, 0.5>
!y = !quant.uniform<i8:f32, 0.7:3>
!z = !quant.uniform<i8:f32, 0.3>

// Every anchor takes the activation behind it; grids differ, so both stay.
// CHECK-LABEL: @anchors
// CHECK: nn.fused
// CHECK-NEXT: nn.conv_transpose
// CHECK-NEXT: nn.sigmoid
// CHECK: nn.fused
// CHECK-NEXT: nn.max_pool
// CHECK-NEXT: nn.tanh
// CHECK: nn.fused
// CHECK-NEXT: nn.average_pool
// CHECK-NEXT: nn.tanh
// CHECK: nn.fused
// CHECK-NEXT: nn.conv
// CHECK-NEXT: nn.tanh
// CHECK: nn.fused
// CHECK-NEXT: nn.gemm
// CHECK-NEXT: nn.tanh
// CHECK: nn.fused
// CHECK-NEXT: nn.sub
// CHECK-NEXT: nn.tanh
func.func @anchors(%x: tensor<1x1x4x!x>, %w: tensor<1x1x1x!x>) -> (tensor<1x4x!z>, tensor<1x4x!z>) {
  %0 = nn.conv_transpose %x, %w {dilations = array<i64: 1>, group = 1 : i64, outputPadding = array<i64: 0>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x4x!x>, tensor<1x1x1x!x>) -> tensor<1x1x4x!y>
  %1 = nn.sigmoid %0 : (tensor<1x1x4x!y>) -> tensor<1x1x4x!x>
  %2 = nn.max_pool %1 {dilations = array<i64: 1>, kernel = array<i64: 1>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x4x!x>) -> tensor<1x1x4x!x>
  %3 = nn.tanh %2 : (tensor<1x1x4x!x>) -> tensor<1x1x4x!x>
  %4 = nn.average_pool %3 {dilations = array<i64: 1>, kernel = array<i64: 1>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x4x!x>) -> tensor<1x1x4x!y>
  %5 = nn.tanh %4 : (tensor<1x1x4x!y>) -> tensor<1x1x4x!x>
  %6 = nn.conv %5, %w {dilations = array<i64: 1>, group = 1 : i64, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x4x!x>, tensor<1x1x1x!x>) -> tensor<1x1x4x!y>
  %7 = nn.tanh %6 : (tensor<1x1x4x!y>) -> tensor<1x1x4x!x>
  %8 = nn.reshape %7 {shape = array<i64: 4, 1>} : (tensor<1x1x4x!x>) -> tensor<4x1x!x>
  %9 = nn.gemm %8, %8 {alpha = 1.0 : f32, beta = 1.0 : f32, operandSegmentSizes = array<i32: 1, 1, 0>, transA = true, transB = false} : (tensor<4x1x!x>, tensor<4x1x!x>) -> tensor<1x1x!y>
  %10 = nn.tanh %9 : (tensor<1x1x!y>) -> tensor<1x1x!x>
  %11 = nn.reshape %8 {shape = array<i64: 1, 4>} : (tensor<4x1x!x>) -> tensor<1x4x!x>
  %12 = nn.sub %11, %10 : (tensor<1x4x!x>, tensor<1x1x!x>) -> tensor<1x4x!y>
  %13 = nn.tanh %12 : (tensor<1x4x!y>) -> tensor<1x4x!z>
  %14 = nn.concat %11, %11 {axis = 0 : i64} : (tensor<1x4x!x>, tensor<1x4x!x>) -> tensor<2x4x!x>
  %15 = nn.slice %14 {sizes = array<i64: 1, 4>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<2x4x!x>) -> tensor<1x4x!x>
  %16 = nn.requantize %15 : (tensor<1x4x!x>) -> tensor<1x4x!z>
  return %13, %16 : tensor<1x4x!z>, tensor<1x4x!z>
}

// Several stages, a residual that broadcasts per row, and its activation.
// CHECK-LABEL: @residual
// CHECK: nn.fused (%{{.*}} = %arg0, %{{.*}} = %arg1, %{{.*}} = %arg2)
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: nn.tanh
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.hard_swish
// CHECK-NEXT: nn.yield
func.func @residual(%a: tensor<2x3x!x>, %b: tensor<3x2x!x>, %r: tensor<2x1x!z>) -> tensor<2x2x!z> {
  %0 = nn.matmul %a, %b : (tensor<2x3x!x>, tensor<3x2x!x>) -> tensor<2x2x!y>
  %1 = nn.tanh %0 : (tensor<2x2x!y>) -> tensor<2x2x!z>
  %2 = nn.add %r, %1 : (tensor<2x1x!z>, tensor<2x2x!z>) -> tensor<2x2x!y>
  %3 = nn.hard_swish %2 : (tensor<2x2x!y>) -> tensor<2x2x!z>
  return %3 : tensor<2x2x!z>
}

// Float borders: codes leave as floats, floats leave as codes.
// CHECK-LABEL: @borders
// CHECK: nn.fused
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: nn.dequantize
// CHECK-NEXT: nn.yield
// CHECK: nn.softmax
// CHECK: nn.fused
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: nn.quantize
// CHECK-NEXT: nn.tanh
// CHECK-NEXT: nn.yield
func.func @borders(%a: tensor<2x2x!x>) -> tensor<2x2x!z> {
  %0 = nn.matmul %a, %a : (tensor<2x2x!x>, tensor<2x2x!x>) -> tensor<2x2x!y>
  %1 = nn.dequantize %0 : (tensor<2x2x!y>) -> tensor<2x2xf32>
  %2 = nn.softmax %1 {axis = 1 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = nn.matmul %2, %2 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %4 = nn.quantize %3 : (tensor<2x2xf32>) -> tensor<2x2x!y>
  %5 = nn.tanh %4 : (tensor<2x2x!y>) -> tensor<2x2x!z>
  return %5 : tensor<2x2x!z>
}

// Dynamic quantization: 32-bit integers, their reals, a scale and a bias known
// when run.
// CHECK-LABEL: @integers
// CHECK: nn.fused
// CHECK-NEXT: nn.matmul_integer
// CHECK-NEXT: nn.cast
// CHECK-NEXT: nn.mul
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.relu
func.func @integers(%a: tensor<2x2xui8>, %b: tensor<2x2xi8>, %s: tensor<1xf32>, %c: tensor<2xf32>) -> tensor<2x2xf32> {
  %0 = nn.matmul_integer %a, %b {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x2xui8>, tensor<2x2xi8>) -> tensor<2x2xi32>
  %1 = nn.cast %0 : (tensor<2x2xi32>) -> tensor<2x2xf32>
  %2 = nn.mul %1, %s : (tensor<2x2xf32>, tensor<1xf32>) -> tensor<2x2xf32>
  %3 = nn.add %2, %c : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %4 = nn.relu %3 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %4 : tensor<2x2xf32>
}

// A reshape keeps the order of elements and is looked through; one behind the
// last stage stays outside.
// CHECK-LABEL: @reshape
// CHECK: nn.fused
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: nn.tanh
// CHECK-NEXT: nn.yield
// CHECK: nn.reshape
// CHECK-NEXT: return
func.func @reshape(%a: tensor<2x2x!x>) -> tensor<4x1x!z> {
  %0 = nn.matmul %a, %a : (tensor<2x2x!x>, tensor<2x2x!x>) -> tensor<2x2x!y>
  %1 = nn.reshape %0 {shape = array<i64: 4>} : (tensor<2x2x!y>) -> tensor<4x!y>
  %2 = nn.tanh %1 : (tensor<4x!y>) -> tensor<4x!z>
  %3 = nn.reshape %2 {shape = array<i64: 4, 1>} : (tensor<4x!z>) -> tensor<4x1x!z>
  return %3 : tensor<4x1x!z>
}
