// RUN: tally-opt %s --nn-fuse=prefers-codes=true --remark-format=emitRemark --remarks-filter=fusion -verify-diagnostics | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<u8:f32, 0.25:3>
!huge = !quant.uniform<i8:f32, 3.0e38>

module attributes {nn.groups_replaced} {
// The Quantize is in the convolution's chain, the pool works on codes.
// CHECK-LABEL: @behind_a_convolution
// CHECK: nn.fused
// CHECK: nn.conv
// CHECK-NEXT: nn.dequantize
// CHECK-NEXT: nn.prelu
// CHECK-NEXT: nn.quantize
// CHECK: nn.max_pool {{.*}} : (tensor<1x1x4x!quant{{.*}}>) -> tensor<1x1x3x!quant
func.func @behind_a_convolution(%x: tensor<1x1x4x!q>, %w: tensor<1x1x1x!q>) -> tensor<1x1x3x!r> {
  %slope = nn.constant dense<[[-0.5]]> : tensor<1x1xf32> : tensor<1x1xf32>
  // expected-remark @+3 {{Other=nn.dequantize}}
  // expected-remark @+2 {{Other=nn.prelu}}
  // expected-remark @+1 {{Other=nn.quantize}}
  %0 = nn.conv %x, %w {dilations = array<i64: 1>, group = 1 : i64, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x4x!q>, tensor<1x1x1x!q>) -> tensor<1x1x4x!q>
  %1 = nn.dequantize %0 : (tensor<1x1x4x!q>) -> tensor<1x1x4xf32>
  %2 = nn.prelu %1, %slope : (tensor<1x1x4xf32>, tensor<1x1xf32>) -> tensor<1x1x4xf32>
  // expected-remark @+1 {{FUSE-18 }}
  %3 = nn.max_pool %2 {dilations = array<i64: 1>, kernel = array<i64: 2>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x4xf32>) -> tensor<1x1x3xf32>
  %4 = nn.quantize %3 : (tensor<1x1x3xf32>) -> tensor<1x1x3x!r>
  return %4 : tensor<1x1x3x!r>
}

// A float may be NaN, whose code a pool of codes would overlook; so may be a
// code times 3e38, less itself.
// CHECK-LABEL: @maybe_nan
// CHECK: nn.max_pool {{.*}} -> tensor<1x1x3xf32>
// CHECK: nn.max_pool {{.*}} -> tensor<1x1x3xf32>
func.func @maybe_nan(%x: tensor<1x1x4xf32>, %y: tensor<1x1x4x!huge>) -> (tensor<1x1x3x!r>, tensor<1x1x3x!r>) {
  // expected-remark @+1 {{FUSE-1 }}
  %0 = nn.max_pool %x {dilations = array<i64: 1>, kernel = array<i64: 2>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x4xf32>) -> tensor<1x1x3xf32>
  %1 = nn.quantize %0 : (tensor<1x1x3xf32>) -> tensor<1x1x3x!r>
  %2 = nn.dequantize %y : (tensor<1x1x4x!huge>) -> tensor<1x1x4xf32>
  // expected-remark @+1 {{FUSE-1 }}
  %3 = nn.max_pool %2 {dilations = array<i64: 1>, kernel = array<i64: 2>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x4xf32>) -> tensor<1x1x3xf32>
  %4 = nn.quantize %3 : (tensor<1x1x3xf32>) -> tensor<1x1x3x!r>
  return %1, %4 : tensor<1x1x3x!r>, tensor<1x1x3x!r>
}
}
