// RUN: tally-opt %s --nn-fuse=ideal-rounding=false --remark-format=emitRemark --remarks-filter=fusion -verify-diagnostics | FileCheck %s

// Where a profile decides how results round, rounding twice is not once.

!a = !quant.uniform<i8:f32, 0.5>
!b = !quant.uniform<i8:f32, 2.5>

func.func @main(%x: tensor<2x2x!a>) -> tensor<2x2x!b> {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{the second scale is 5 times the first, but the numerics profile rounds otherwise}}
  %0 = nn.matmul %x, %x : (tensor<2x2x!a>, tensor<2x2x!a>) -> tensor<2x2x!a>
  %1 = nn.requantize %0 : (tensor<2x2x!a>) -> tensor<2x2x!b>
  return %1 : tensor<2x2x!b>
}

!u = !quant.uniform<u8:f32, 0.5>

// A clamp that keeps every code goes, but not where it moves codes to another
// grid: a requantization may round by the profile.
// CHECK-LABEL: @clamps
// CHECK: nn.relu {{.*}} -> tensor<2x2x!quant.uniform<i8:f32, 2.500000e+00>>
// CHECK-NOT: nn.relu
func.func @clamps(%x: tensor<2x2x!a>) -> (tensor<2x2x!b>, tensor<2x2x!u>) {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{FUSE-16 }}
  %0 = nn.matmul %x, %x : (tensor<2x2x!a>, tensor<2x2x!a>) -> tensor<2x2x!u>
  %1 = nn.relu %0 : (tensor<2x2x!u>) -> tensor<2x2x!b>
  %2 = nn.matmul %x, %x : (tensor<2x2x!a>, tensor<2x2x!a>) -> tensor<2x2x!u>
  // expected-remark @+1 {{FUSE-13 }}
  %3 = nn.relu %2 : (tensor<2x2x!u>) -> tensor<2x2x!u>
  return %1, %3 : tensor<2x2x!b>, tensor<2x2x!u>
}
