// RUN: tally-opt %s --nn-fuse=prefers-codes=true --remark-format=emitRemark --remarks-filter=fusion -verify-diagnostics | FileCheck %s
// RUN: tally-opt %s --nn-fuse="prefers-codes=true ideal-rounding=false" | FileCheck %s --check-prefix=PROFILE
// RUN: tally-opt %s --nn-fuse | FileCheck %s --check-prefix=WITHOUT

// WITHOUT-NOT: nn.gather

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.25>

module attributes {nn.groups_replaced} {
// Index 5 is the first row of the matrix, 6 the second; any other has none, so
// that 1 is what remains: rows below, 5, 6 and above.
// CHECK-LABEL: @equal
// CHECK: %[[T:.*]] = nn.constant {{.*}}[1.000000e+00, 1.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00], [1.000000e+00, 1.000000e+00]{{.*}} : tensor<4x2xf32>
// CHECK: %[[LOW:.*]] = nn.constant dense<4>
// CHECK: nn.max %arg0, %[[LOW]]
// CHECK: %[[HIGH:.*]] = nn.constant dense<7>
// CHECK: nn.min %{{.*}}, %[[HIGH]]
// CHECK: %[[FIRST:.*]] = nn.constant dense<4>
// CHECK: nn.sub %{{.*}}, %[[FIRST]]
// CHECK: nn.reshape
// CHECK: nn.gather %[[T]], {{.*}} : (tensor<4x2xf32>, tensor<1x9xi32>) -> tensor<1x9x2xf32>
// CHECK-NEXT: return
// PROFILE-LABEL: @equal
// PROFILE: nn.gather
func.func @equal(%x: tensor<1x9x1xi32>) -> tensor<1x9x2xf32> {
  %numbers = nn.constant dense<[[[5, 6]]]> : tensor<1x1x2xi32> : tensor<1x1x2xi32>
  %w = nn.constant dense<[[2.0, 3.0], [4.0, 5.0]]> : tensor<2x2xf32> : tensor<2x2xf32>
  %one = nn.constant dense<1.0> : tensor<f32> : tensor<f32>
  // expected-remark @+1 {{FUSE-19 }}
  %0 = nn.equal %x, %numbers : (tensor<1x9x1xi32>, tensor<1x1x2xi32>) -> tensor<1x9x2xi1>
  %1 = nn.cast %0 : (tensor<1x9x2xi1>) -> tensor<1x9x2xf32>
  %2 = nn.matmul %1, %w {transA = false, transB = false} : (tensor<1x9x2xf32>, tensor<2x2xf32>) -> tensor<1x9x2xf32>
  %3 = nn.add %2, %one : (tensor<1x9x2xf32>, tensor<f32>) -> tensor<1x9x2xf32>
  return %3 : tensor<1x9x2xf32>
}

// Of an nn.one_hot negative indices count from the end: -3 (below all), -2, -1,
// 0, 1, 2 (above). On codes another profile may round otherwise.
// CHECK-LABEL: @codes
// CHECK: nn.constant dense<{{\[\[}}0, 0], [4, 0], [0, 4], [4, 0], [0, 4], [0, 0]]> : tensor<6x2xi8>
// CHECK: nn.gather
// CHECK-NEXT: return
// PROFILE-LABEL: @codes
// PROFILE: nn.matmul
func.func @codes(%x: tensor<9xi64>) -> tensor<9x2x!r> {
  %values = nn.constant dense<[0.0, 1.0]> : tensor<2xf32> : tensor<2xf32>
  %w = nn.constant dense<[[2, 0], [0, 2]]> : tensor<2x2xi8> : tensor<2x2x!q>
  // expected-remark @+1 {{FUSE-19 }}
  %0 = nn.one_hot %x, %values {axis = 1 : i64, depth = 2 : i64} : (tensor<9xi64>, tensor<2xf32>) -> tensor<9x2xf32>
  %1 = nn.quantize %0 : (tensor<9x2xf32>) -> tensor<9x2x!q>
  %2 = nn.matmul %1, %w {transA = false, transB = false} : (tensor<9x2x!q>, tensor<2x2x!q>) -> tensor<9x2x!r>
  return %2 : tensor<9x2x!r>
}

// A sum over rows, or a constant that differs by row, ends the table; numbers
// that do not count up, and a one-hot alone, begin none.
// CHECK-LABEL: @rows_that_mix
// CHECK: nn.gather
// CHECK: nn.mul
// CHECK: nn.reduce_sum
// CHECK: nn.cast
func.func @rows_that_mix(%x: tensor<3x1xi32>) -> (tensor<2xf32>, tensor<3x2xf32>) {
  %numbers = nn.constant dense<[[0, 1]]> : tensor<1x2xi32> : tensor<1x2xi32>
  %others = nn.constant dense<[[0, 2]]> : tensor<1x2xi32> : tensor<1x2xi32>
  %by_row = nn.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32> : tensor<3x1xf32>
  // expected-remark @+1 {{FUSE-19 }}
  %0 = nn.equal %x, %numbers : (tensor<3x1xi32>, tensor<1x2xi32>) -> tensor<3x2xi1>
  %1 = nn.cast %0 : (tensor<3x2xi1>) -> tensor<3x2xf32>
  %2 = nn.mul %1, %by_row : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %3 = nn.reduce_sum %2 {axes = array<i64: 0>, keepdims = false} : (tensor<3x2xf32>) -> tensor<2xf32>
  %4 = nn.equal %x, %others : (tensor<3x1xi32>, tensor<1x2xi32>) -> tensor<3x2xi1>
  %5 = nn.cast %4 : (tensor<3x2xi1>) -> tensor<3x2xf32>
  return %3, %5 : tensor<2xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: @alone
// CHECK-NEXT: nn.constant
// CHECK-NEXT: nn.equal
// CHECK-NEXT: return
func.func @alone(%x: tensor<3x1xi32>) -> tensor<3x2xi1> {
  %numbers = nn.constant dense<[[0, 1]]> : tensor<1x2xi32> : tensor<1x2xi32>
  %0 = nn.equal %x, %numbers : (tensor<3x1xi32>, tensor<1x2xi32>) -> tensor<3x2xi1>
  return %0 : tensor<3x2xi1>
}
}
