// RUN: tally-opt %s --nn-fuse > %t.once
// RUN: tally-opt %s --nn-fuse --nn-fuse > %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s < %t.once

// Two chains end at one addition: the first operand's chain takes it, in
// whatever order the two stand. A chain stands where its last operator stood,
// so here the products change places when they are taken apart again.
!x = !quant.uniform<i8:f32, 0.5>

// CHECK-LABEL: @first_operand_stands_first
// CHECK: nn.fused
// CHECK-NEXT: nn.mul
// CHECK-NEXT: nn.dequantize
// CHECK: nn.fused
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: nn.add
func.func @first_operand_stands_first(%a: tensor<2x2xf32>, %c: tensor<2x2x!x>) -> tensor<2x2xf32> {
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.mul %c, %c : (tensor<2x2x!x>, tensor<2x2x!x>) -> tensor<2x2x!x>
  %2 = nn.dequantize %1 : (tensor<2x2x!x>) -> tensor<2x2xf32>
  %3 = nn.add %0, %2 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// CHECK-LABEL: @first_operand_stands_last
// CHECK: nn.fused
// CHECK-NEXT: nn.mul
// CHECK-NEXT: nn.dequantize
// CHECK: nn.fused
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: nn.add
func.func @first_operand_stands_last(%a: tensor<2x2xf32>, %c: tensor<2x2x!x>) -> tensor<2x2xf32> {
  %1 = nn.mul %c, %c : (tensor<2x2x!x>, tensor<2x2x!x>) -> tensor<2x2x!x>
  %2 = nn.dequantize %1 : (tensor<2x2x!x>) -> tensor<2x2xf32>
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = nn.add %0, %2 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}
