// RUN: tally-opt %s --nn-fuse=prefers-codes=true --remark-format=emitRemark --remarks-filter=fusion -verify-diagnostics | FileCheck %s
// RUN: tally-opt %s --nn-fuse="prefers-codes=true ideal-rounding=false" | FileCheck %s --check-prefix=PROFILE
// RUN: tally-opt %s --nn-fuse | FileCheck %s --check-prefix=WITHOUT

// WITHOUT-NOT: nn.lookup

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<u8:f32, 0.25:3>

// x / 2 + x, then onto steps of 0.25: the reals 0, 0.75, ... of codes 0, 1, ..
// are codes 3, 6, ..
// CHECK-LABEL: @floats
// CHECK-NEXT: nn.lookup %{{.*}} {table = array<i8: 3, 6, 9, 12,
// CHECK-NEXT: return
// PROFILE-LABEL: @floats
// PROFILE-NEXT: nn.lookup
func.func @floats(%x: tensor<4x!q>) -> tensor<4x!r> {
  %two = nn.constant dense<2.0> : tensor<f32> : tensor<f32>
  %0 = nn.dequantize %x : (tensor<4x!q>) -> tensor<4xf32>
  %1 = nn.div %0, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // expected-remark @+1 {{FUSE-17 }}
  %2 = nn.add %1, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.quantize %2 : (tensor<4xf32>) -> tensor<4x!r>
  return %3 : tensor<4x!r>
}

// A table reads what another makes: the nn.abs in between is returned.
// CHECK-LABEL: @two_tables
// CHECK-NEXT: nn.lookup
// CHECK-NEXT: nn.abs
// CHECK-NEXT: nn.lookup
// CHECK-NEXT: return
func.func @two_tables(%x: tensor<4x!q>) -> (tensor<4x!q>, tensor<4x!q>) {
  %0 = nn.dequantize %x : (tensor<4x!q>) -> tensor<4xf32>
  // expected-remark @+1 {{FUSE-17 }}
  %1 = nn.mul %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.quantize %1 : (tensor<4xf32>) -> tensor<4x!q>
  %3 = nn.abs %2 : (tensor<4x!q>) -> tensor<4x!q>
  %4 = nn.dequantize %3 : (tensor<4x!q>) -> tensor<4xf32>
  // expected-remark @+1 {{FUSE-17 }}
  %5 = nn.mul %4, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.quantize %5 : (tensor<4xf32>) -> tensor<4x!q>
  return %3, %6 : tensor<4x!q>, tensor<4x!q>
}

// Two tensors of codes, and floats that others read, are no table.
// CHECK-LABEL: @no_table
// CHECK-NOT: nn.lookup
func.func @no_table(%x: tensor<4x!q>, %y: tensor<4x!q>) -> (tensor<4x!q>, tensor<4x!q>, tensor<4xf32>) {
  %0 = nn.dequantize %x : (tensor<4x!q>) -> tensor<4xf32>
  %1 = nn.dequantize %y : (tensor<4x!q>) -> tensor<4xf32>
  %2 = nn.mul %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.quantize %2 : (tensor<4xf32>) -> tensor<4x!q>
  %4 = nn.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = nn.exp %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.quantize %5 : (tensor<4xf32>) -> tensor<4x!q>
  return %3, %6, %4 : tensor<4x!q>, tensor<4x!q>, tensor<4xf32>
}
