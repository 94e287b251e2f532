// RUN: tally-opt %s --nn-fuse=prefers-codes=true --remark-format=emitRemark --remarks-filter=fusion -verify-diagnostics | FileCheck %s
// RUN: tally-opt %s --nn-fuse="prefers-codes=true ideal-rounding=false" | FileCheck %s --check-prefix=PROFILE
// RUN: tally-opt %s --nn-fuse | FileCheck %s --check-prefix=WITHOUT

// WITHOUT-NOT: nn.lookup

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<u8:f32, 0.25:3>

module attributes {nn.groups_replaced} {
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

// A table reaches over operators on codes; what is returned ends it. Under a
// profile an operator on codes may round otherwise, and stays.
// CHECK-LABEL: @two_tables
// CHECK-NEXT: nn.lookup
// CHECK-NEXT: nn.lookup
// CHECK-NEXT: return
// PROFILE-LABEL: @two_tables
// PROFILE-NEXT: nn.lookup
// PROFILE-NEXT: nn.abs
// PROFILE-NEXT: nn.lookup
func.func @two_tables(%x: tensor<4x!q>) -> (tensor<4x!q>, tensor<4x!q>) {
  %0 = nn.dequantize %x : (tensor<4x!q>) -> tensor<4xf32>
  %1 = nn.mul %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{FUSE-17 }}
  %2 = nn.quantize %1 : (tensor<4xf32>) -> tensor<4x!q>
  %3 = nn.abs %2 : (tensor<4x!q>) -> tensor<4x!q>
  %4 = nn.dequantize %3 : (tensor<4x!q>) -> tensor<4xf32>
  // expected-remark @+1 {{FUSE-17 }}
  %5 = nn.mul %4, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.quantize %5 : (tensor<4xf32>) -> tensor<4x!q>
  return %3, %6 : tensor<4x!q>, tensor<4x!q>
}

// Both readers of %x, a constant that is dequantized, and codes in between: as
// quantizers write x * (x + 3).
// CHECK-LABEL: @codes_in_between
// CHECK-NEXT: nn.lookup
// CHECK-NEXT: return
func.func @codes_in_between(%x: tensor<1x4x!q>) -> tensor<1x4x!q> {
  %three = nn.constant dense<6> : tensor<1xi8> : tensor<1x!q>
  %0 = nn.add %x, %three : (tensor<1x4x!q>, tensor<1x!q>) -> tensor<1x4x!r>
  // expected-remark @+1 {{FUSE-17 }}
  %1 = nn.relu %0 : (tensor<1x4x!r>) -> tensor<1x4x!r>
  %2 = nn.mul %x, %1 : (tensor<1x4x!q>, tensor<1x4x!r>) -> tensor<1x4x!q>
  return %2 : tensor<1x4x!q>
}

// A row of clamps and tables is left to the chains.
// CHECK-LABEL: @chain
// CHECK-NOT: nn.lookup
func.func @chain(%x: tensor<4x!q>) -> tensor<4x!r> {
  %0 = nn.relu %x : (tensor<4x!q>) -> tensor<4x!q>
  %1 = nn.tanh %0 : (tensor<4x!q>) -> tensor<4x!r>
  return %1 : tensor<4x!r>
}

// Two tensors of codes, and floats that others read, are no table.
// CHECK-LABEL: @no_table
// CHECK-NOT: nn.lookup
func.func @no_table(%x: tensor<4x!q>, %y: tensor<4x!q>) -> (tensor<4x!q>, tensor<4x!q>, tensor<4xf32>) {
  %0 = nn.dequantize %x : (tensor<4x!q>) -> tensor<4xf32>
  %1 = nn.dequantize %y : (tensor<4x!q>) -> tensor<4xf32>
  // expected-remark @+1 {{FUSE-1 }}
  %2 = nn.mul %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.quantize %2 : (tensor<4xf32>) -> tensor<4x!q>
  %4 = nn.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = nn.exp %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.quantize %5 : (tensor<4xf32>) -> tensor<4x!q>
  return %3, %6, %4 : tensor<4x!q>, tensor<4x!q>, tensor<4xf32>
}
}
