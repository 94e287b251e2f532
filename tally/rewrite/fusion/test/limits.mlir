// RUN: tally-opt %s --nn-fuse=table-budget=256 | FileCheck %s --check-prefixes=CHECK,BUDGET
// RUN: tally-opt %s --nn-fuse=table-budget=256 --nn-fuse=table-budget=256 | FileCheck %s --check-prefixes=CHECK,BUDGET
// RUN: tally-opt %s --nn-fuse=max-table-bytes=256 | FileCheck %s --check-prefixes=CHECK,TABLE
// RUN: tally-opt %s --nn-fuse=max-table-bytes=256 --nn-fuse=max-table-bytes=256 | FileCheck %s --check-prefixes=CHECK,TABLE

// Limits are judged on the tables that are needed after roundings and clamps
// were left out, so that fusing again finds nothing to add or to cut.

!x = !quant.uniform<i8:f32, 0.5>
!y = !quant.uniform<i8:f32, 2.5>
!wide = !quant.uniform<i16:f32, 2.5>

// The requantization (256 bytes) is left out: 2.5 is 5 times 0.5. The sigmoid's
// 256 bytes then fit, which 512 would not.
// CHECK-LABEL: @dropped
// CHECK: nn.fused
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: nn.clip
// CHECK-NEXT: nn.sigmoid
func.func @dropped(%a: tensor<2x2x!x>) -> tensor<2x2x!x> {
  %0 = nn.matmul %a, %a : (tensor<2x2x!x>, tensor<2x2x!x>) -> tensor<2x2x!x>
  %1 = nn.requantize %0 : (tensor<2x2x!x>) -> tensor<2x2x!y>
  %2 = nn.sigmoid %1 : (tensor<2x2x!y>) -> tensor<2x2x!x>
  return %2 : tensor<2x2x!x>
}

// Moving the sigmoid's own rounding to 16 bits makes its table 256 entries of
// two bytes: more than either limit, so that it stays outside.
// CHECK-LABEL: @widened
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: nn.sigmoid {{.*}} -> tensor<2x2x!quant.uniform<i16:f32, 2.500000e+00>>
// CHECK-NEXT: nn.clip
// CHECK-NEXT: return
func.func @widened(%a: tensor<2x2x!x>) -> tensor<2x2x!wide> {
  %0 = nn.matmul %a, %a : (tensor<2x2x!x>, tensor<2x2x!x>) -> tensor<2x2x!x>
  %1 = nn.sigmoid %0 : (tensor<2x2x!x>) -> tensor<2x2x!y>
  %2 = nn.requantize %1 : (tensor<2x2x!y>) -> tensor<2x2x!wide>
  return %2 : tensor<2x2x!wide>
}

// Each table fits alone; two together are beyond the budget.
// CHECK-LABEL: @two_tables
// CHECK: nn.fused
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: nn.sigmoid
// BUDGET-NEXT: nn.yield
// TABLE-NEXT: nn.tanh
func.func @two_tables(%a: tensor<2x2x!x>) -> tensor<2x2x!x> {
  %0 = nn.matmul %a, %a : (tensor<2x2x!x>, tensor<2x2x!x>) -> tensor<2x2x!y>
  %1 = nn.sigmoid %0 : (tensor<2x2x!y>) -> tensor<2x2x!y>
  %2 = nn.tanh %1 : (tensor<2x2x!y>) -> tensor<2x2x!x>
  return %2 : tensor<2x2x!x>
}
