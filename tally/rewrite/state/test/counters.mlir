// RUN: tally-opt %s --nn-place-states=counters=true --split-input-file | FileCheck %s

// Which of 4 rows are there, when the call adds one: a table with an entry for
// 0 to 3 rows before the call, which the number chooses. The number itself is no
// result.

// CHECK-LABEL: module
// CHECK: nn.state @rows {{.*}}last = 4 : i64, {{.*}}policy = 5 : i64, {{.*}}step = 1 : i64
// CHECK: func.func @main(%{{.*}}: tensor<4xf32>, %[[N:.*]]: tensor<1xi64> {{.*}}) -> tensor<4xf32>
// CHECK: %[[TABLE:.*]] = nn.constant dense<{{\[\[}}true, false, false, false], [true, true, false, false], [true, true, true, false], [true, true, true, true]]> : tensor<4x4xi1> : tensor<4x4xi1>
// CHECK: %[[ENTRY:.*]] = nn.gather %[[TABLE]], %[[N]] {axis = 0 : i64}
// CHECK: %[[MASK:.*]] = nn.reshape %[[ENTRY]]
// CHECK-NOT: nn.less
// CHECK: nn.where %[[MASK]]
module {
  nn.state @rows : tensor<1xi64> {init = dense<0> : tensor<1xi64>, most = 3 : i64}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %n = nn.state_read @rows : tensor<1xi64>
    %one = nn.constant dense<1> : tensor<1xi64> : tensor<1xi64>
    %next = nn.add %n, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %places = nn.constant dense<[0, 1, 2, 3]> : tensor<4xi64> : tensor<4xi64>
    %there = nn.less %places, %next : (tensor<4xi64>, tensor<1xi64>) -> tensor<4xi1>
    %zero = nn.constant dense<0.0> : tensor<1xf32> : tensor<1xf32>
    %y = nn.where %there, %x, %zero : (tensor<4xi1>, tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    nn.state_write @rows, %next : tensor<1xi64>
    return %y : tensor<4xf32>
  }
}

// -----

// A number that stays at its largest value.

// CHECK-LABEL: module
// CHECK: nn.state @rows {{.*}}last = 3 : i64, {{.*}}policy = 5 : i64, {{.*}}step = 2 : i64
module {
  nn.state @rows : tensor<1xi64> {init = dense<0> : tensor<1xi64>, most = 3 : i64}
  func.func @main() -> tensor<1xf32> {
    %n = nn.state_read @rows : tensor<1xi64>
    %two = nn.constant dense<2> : tensor<1xi64> : tensor<1xi64>
    %more = nn.add %n, %two : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %most = nn.constant dense<3> : tensor<1xi64> : tensor<1xi64>
    %next = nn.min %more, %most : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %y = nn.cast %n : (tensor<1xi64>) -> tensor<1xf32>
    nn.state_write @rows, %next : tensor<1xi64>
    return %y : tensor<1xf32>
  }
}

// -----

// A number that grows otherwise is a tensor as before.

// CHECK-LABEL: module
// CHECK: nn.state @rows {{.*}}policy = 1 : i64
// CHECK: nn.mul
module {
  nn.state @rows : tensor<1xi64> {init = dense<0> : tensor<1xi64>, most = 3 : i64}
  func.func @main() -> tensor<1xi64> {
    %n = nn.state_read @rows : tensor<1xi64>
    %next = nn.mul %n, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    nn.state_write @rows, %next : tensor<1xi64>
    return %next : tensor<1xi64>
  }
}
