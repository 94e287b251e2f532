// RUN: tally-opt %s --nn-place-states -split-input-file | FileCheck %s

// An elementwise update is written over the old value.
// CHECK-LABEL: module attributes
// CHECK-SAME: nn.commit = array<i64: 0>, nn.slot_bytes = array<i64: 16>
// CHECK: nn.state @s {{.*}}current = 0 : i64, is_read = 1 : i64, is_written = 1 : i64, next = 0 : i64, {{.*}}policy = 1 : i64
// CHECK: func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32> {nn.name = "s", nn.state = @s}) -> (tensor<4xf32> {nn.name = "s", nn.state = @s})
// CHECK-NEXT: %[[SUM:.*]] = nn.add %arg1, %arg0
// CHECK-NEXT: return %[[SUM]]
module {
  nn.state @s : tensor<4xf32> {init = dense<0.0> : tensor<4xf32>}
  func.func @main(%x: tensor<4xf32>) {
    %0 = nn.state_read @s : tensor<4xf32>
    %1 = nn.add %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    nn.state_write @s, %1 : tensor<4xf32>
    return
  }
}

// -----

// The update waits for the product that reads the old value.
// CHECK: nn.state @s {{.*}}policy = 1 : i64
// CHECK: nn.matmul %arg1, %arg0
// CHECK-NEXT: nn.add %arg1, %arg0
module {
  nn.state @s : tensor<4x4xf32> {init = dense<0.0> : tensor<4x4xf32>}
  func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = nn.state_read @s : tensor<4x4xf32>
    %1 = nn.add %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = nn.matmul %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.state_write @s, %1 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
}

// -----

// It cannot wait when what is made of it is what the product reads, too.
// CHECK: nn.commit = array<i64: 1, 0>, nn.slot_bytes = array<i64: 64, 64>
// CHECK: nn.state @s {{.*}}policy = 0 : i64, reason = "'nn.matmul' reads the old value after 'nn.add' wrote the new one"
module {
  nn.state @s : tensor<4x4xf32> {init = dense<0.0> : tensor<4x4xf32>}
  func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = nn.state_read @s : tensor<4x4xf32>
    %1 = nn.add %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = nn.matmul %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    nn.state_write @s, %1 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
}

// -----

// Two updates that wait for each other's readers: t' reads s, s' reads t. The
// first is in place; moving the second behind its reader would read too late.
// CHECK: nn.state @s {{.*}}policy = 1 : i64
// CHECK: nn.state @t {{.*}}policy = 0 : i64
// CHECK: %[[T:.*]] = nn.sub %arg2, %arg1
// CHECK: %[[S:.*]] = nn.add %arg1, %arg2
// CHECK: return %[[S]], %[[T]]
module {
  nn.state @s : tensor<4xf32> {init = dense<0.0> : tensor<4xf32>}
  nn.state @t : tensor<4xf32> {init = dense<0.0> : tensor<4xf32>}
  func.func @main(%x: tensor<4xf32>) {
    %0 = nn.state_read @s : tensor<4xf32>
    %1 = nn.state_read @t : tensor<4xf32>
    %2 = nn.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = nn.sub %1, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    nn.state_write @s, %2 : tensor<4xf32>
    nn.state_write @t, %3 : tensor<4xf32>
    return
  }
}

// -----

// A product reads an element after others are written, also through views.
// CHECK: nn.state @s {{.*}}policy = 0 : i64, reason = "'nn.matmul' reads elements of the old value after others are written"
module {
  nn.state @s : tensor<16xf32> {init = dense<0.0> : tensor<16xf32>}
  func.func @main(%x: tensor<4x4xf32>) {
    %0 = nn.state_read @s : tensor<16xf32>
    %1 = nn.reshape %0 {shape = array<i64: 4, 4>} : (tensor<16xf32>) -> tensor<4x4xf32>
    %2 = nn.matmul %1, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = nn.reshape %2 {shape = array<i64: 16>} : (tensor<4x4xf32>) -> tensor<16xf32>
    nn.state_write @s, %3 : tensor<16xf32>
    return
  }
}

// -----

// A chain of exchanges: c takes over b's slot, b a's, and a writes where c was.
// CHECK: nn.commit = array<i64: 1, 3, 0, 2>, nn.slot_bytes = array<i64: 16, 16, 16, 16>
// CHECK: nn.state @a {{.*}}current = 0 : i64, {{.*}}next = 1 : i64, {{.*}}policy = 0 : i64
// CHECK: nn.state @b {{.*}}current = 2 : i64, {{.*}}policy = 4 : i64
// CHECK: nn.state @c {{.*}}current = 3 : i64, {{.*}}policy = 4 : i64
module {
  nn.state @a : tensor<4xf32> {init = dense<0.0> : tensor<4xf32>}
  nn.state @b : tensor<4xf32> {init = dense<0.0> : tensor<4xf32>}
  nn.state @c : tensor<4xf32> {init = dense<0.0> : tensor<4xf32>}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = nn.state_read @a : tensor<4xf32>
    %1 = nn.state_read @b : tensor<4xf32>
    %2 = nn.state_read @c : tensor<4xf32>
    nn.state_write @a, %x : tensor<4xf32>
    nn.state_write @b, %0 : tensor<4xf32>
    nn.state_write @c, %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}

// -----

// A window of three frames slides; the slice and the concatenation are gone.
// CHECK: nn.slot_bytes = array<i64: 52>
// CHECK: nn.state @w {{.*}}advance = 4 : i64, {{.*}}policy = 2 : i64, {{.*}}target = 4 : i64
// CHECK: %[[NEW:.*]] = nn.shift_in %arg1, %arg0 {axis = 2 : i64}
// CHECK-NEXT: return %[[NEW]]
module {
  nn.state @w : tensor<1x2x3xf32> {init = dense<0.0> : tensor<1x2x3xf32>}
  func.func @main(%x: tensor<1x2x1xf32>) {
    %0 = nn.state_read @w : tensor<1x2x3xf32>
    %1 = nn.slice %0 {starts = array<i64: 0, 0, 1>, sizes = array<i64: 1, 2, 2>, steps = array<i64: 1, 1, 1>} : (tensor<1x2x3xf32>) -> tensor<1x2x2xf32>
    %2 = nn.concat %1, %x {axis = 2 : i64} : (tensor<1x2x2xf32>, tensor<1x2x1xf32>) -> tensor<1x2x3xf32>
    nn.state_write @w, %2 : tensor<1x2x3xf32>
    return
  }
}

// -----

// The same with the newest frame first: the value slides down.
// CHECK: nn.slot_bytes = array<i64: 52>
// CHECK: nn.state @w {{.*}}advance = -4 : i64, {{.*}}policy = 2 : i64, {{.*}}target = -4 : i64
// CHECK: %[[NEW:.*]] = nn.shift_in %arg1, %arg0 {axis = 2 : i64, front}
// CHECK-NEXT: return %[[NEW]]
module {
  nn.state @w : tensor<1x2x3xf32> {init = dense<0.0> : tensor<1x2x3xf32>}
  func.func @main(%x: tensor<1x2x1xf32>) {
    %0 = nn.state_read @w : tensor<1x2x3xf32>
    %1 = nn.slice %0 {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, 2, 2>, steps = array<i64: 1, 1, 1>} : (tensor<1x2x3xf32>) -> tensor<1x2x2xf32>
    %2 = nn.concat %x, %1 {axis = 2 : i64} : (tensor<1x2x1xf32>, tensor<1x2x2xf32>) -> tensor<1x2x3xf32>
    nn.state_write @w, %2 : tensor<1x2x3xf32>
    return
  }
}

// -----

// A context of two frames: the row of each channel has room for the third.
// CHECK: nn.slot_bytes = array<i64: 48>
// CHECK: nn.state @c {{.*}}advance = 4 : i64, {{.*}}pitch = 12 : i64, policy = 2 : i64, reason = "", rows = 2 : i64, target = 0 : i64
// CHECK: %[[ALL:.*]] = nn.shift_in %arg1, %arg0 {axis = 2 : i64} : (tensor<1x2x2xf32>, tensor<1x2x1xf32>) -> tensor<1x2x3xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.relu %[[ALL]]
// CHECK-NEXT: return %[[Y]], %[[ALL]]
module {
  nn.state @c : tensor<1x2x2xf32> {init = dense<0.0> : tensor<1x2x2xf32>}
  func.func @main(%x: tensor<1x2x1xf32>) -> tensor<1x2x3xf32> {
    %0 = nn.state_read @c : tensor<1x2x2xf32>
    %1 = nn.concat %0, %x {axis = 2 : i64} : (tensor<1x2x2xf32>, tensor<1x2x1xf32>) -> tensor<1x2x3xf32>
    %2 = nn.slice %1 {starts = array<i64: 0, 0, 1>, sizes = array<i64: 1, 2, 2>, steps = array<i64: 1, 1, 1>} : (tensor<1x2x3xf32>) -> tensor<1x2x2xf32>
    %3 = nn.relu %1 : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
    nn.state_write @c, %2 : tensor<1x2x2xf32>
    return %3 : tensor<1x2x3xf32>
  }
}
