// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @argument_types(%x: tensor<2xf32>) {
  // expected-error @+1 {{'nn.fused' op has operands of types ('tensor<2xf32>') and block arguments of types ('tensor<3xf32>') [FUSED-1]}}
  %0 = "nn.fused"(%x) ({
  ^bb0(%a: tensor<3xf32>):
    %1 = nn.add %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %2 = nn.relu %1 : (tensor<3xf32>) -> tensor<3xf32>
    nn.yield %2 : tensor<3xf32>
  }) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @unread_operand(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{does not read its operand 1 [FUSED-1]}}
  %0 = nn.fused (%a = %x, %b = %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
    %1 = nn.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2 = nn.relu %1 : (tensor<2xf32>) -> tensor<2xf32>
    nn.yield %2 : tensor<2xf32>
  }
  return
}

// -----

func.func @no_anchor(%x: tensor<2xf32>) {
  %0 = nn.fused (%a = %x) : (tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @+1 {{'nn.tanh' op cannot anchor a chain [FUSED-2]}}
    %1 = nn.tanh %a : (tensor<2xf32>) -> tensor<2xf32>
    %2 = nn.relu %1 : (tensor<2xf32>) -> tensor<2xf32>
    nn.yield %2 : tensor<2xf32>
  }
  return
}

// -----

func.func @no_stage(%x: tensor<2xf32>) {
  // expected-error @+1 {{needs an anchor and a stage after it [FUSED-2]}}
  %0 = nn.fused (%a = %x) : (tensor<2xf32>) -> tensor<2xf32> {
    %1 = nn.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    nn.yield %1 : tensor<2xf32>
  }
  return
}

// -----

func.func @stage_kind(%x: tensor<2x2xf32>) {
  %0 = nn.fused (%a = %x) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
    %1 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    // expected-error @+1 {{'nn.transpose' op is neither elementwise nor nn.reshape [FUSED-3]}}
    %2 = nn.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %3 = nn.relu %2 : (tensor<2x2xf32>) -> tensor<2x2xf32>
    nn.yield %3 : tensor<2x2xf32>
  }
  return
}

// -----

func.func @reshape_at_the_end(%x: tensor<2xf32>) {
  %0 = nn.fused (%a = %x) : (tensor<2xf32>) -> tensor<1x2xf32> {
    %1 = nn.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    // expected-error @+1 {{'nn.reshape' op ends the chain, where nothing reads it [FUSED-3]}}
    %2 = nn.reshape %1 {shape = array<i64: 1, 2>} : (tensor<2xf32>) -> tensor<1x2xf32>
    nn.yield %2 : tensor<1x2xf32>
  }
  return
}

// -----

func.func @several_results(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  %0 = nn.fused (%a = %x, %b = %s) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32> {
    // expected-error @+1 {{'nn.layer_normalization' op cannot anchor a chain [FUSED-2]}}
    %1, %m, %i = nn.layer_normalization %a, %b {axis = 1 : i64, epsilon = 1.0e-5 : f32} : (tensor<2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
    %2 = nn.add %1, %m : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
    nn.yield %2 : tensor<2x4xf32>
  }
  return
}

// -----

func.func @reads_twice(%x: tensor<2xf32>) {
  %0 = nn.fused (%a = %x) : (tensor<2xf32>) -> tensor<2xf32> {
    %1 = nn.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    // expected-error @+1 {{'nn.mul' op reads the result of nn.add before it 2 times, a stage reads it once [FUSED-4]}}
    %2 = nn.mul %1, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    nn.yield %2 : tensor<2xf32>
  }
  return
}

// -----

func.func @no_chain(%x: tensor<2xf32>) {
  %0 = nn.fused (%a = %x) : (tensor<2xf32>) -> tensor<2xf32> {
    %1 = nn.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2 = nn.sigmoid %1 : (tensor<2xf32>) -> tensor<2xf32>
    // expected-error @+1 {{'nn.mul' op reads a result of nn.add, not only the one before it and the operation's inputs [FUSED-4]}}
    %3 = nn.mul %1, %2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    nn.yield %3 : tensor<2xf32>
  }
  return
}

// -----

func.func @larger_result(%x: tensor<1x2xf32>, %y: tensor<3x1xf32>) {
  %0 = nn.fused (%a = %x, %b = %y) : (tensor<1x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32> {
    %1 = nn.add %a, %a : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    // expected-error @+1 {{'nn.mul' op makes 3x2 of 1x2: an elementwise stage keeps the shape [FUSED-4]}}
    %2 = nn.mul %1, %b : (tensor<1x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
    nn.yield %2 : tensor<3x2xf32>
  }
  return
}

// -----

func.func @result_type(%x: tensor<2xf32>) {
  // expected-error @+1 {{has a result of type 'tensor<2xf16>', which is not the chain's last, 'tensor<2xf32>' [FUSED-5]}}
  %0 = nn.fused (%a = %x) : (tensor<2xf32>) -> tensor<2xf16> {
    %1 = nn.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2 = nn.relu %1 : (tensor<2xf32>) -> tensor<2xf32>
    nn.yield %2 : tensor<2xf32>
  }
  return
}

// -----

func.func @yields_the_middle(%x: tensor<2xf32>) {
  // expected-error @+1 {{is not the chain's last, 'tensor<2xf32>' [FUSED-5]}}
  %0 = nn.fused (%a = %x) : (tensor<2xf32>) -> tensor<2xf32> {
    %1 = nn.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2 = nn.relu %1 : (tensor<2xf32>) -> tensor<2xf32>
    nn.yield %1 : tensor<2xf32>
  }
  return
}

// -----

func.func @attribute(%x: tensor<2xf32>) {
  // expected-error @+1 {{has attribute "low": a chain's meaning is in its operations alone [FUSED-6]}}
  %0 = nn.fused (%a = %x) {low = 3 : i32} : (tensor<2xf32>) -> tensor<2xf32> {
    %1 = nn.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2 = nn.relu %1 : (tensor<2xf32>) -> tensor<2xf32>
    nn.yield %2 : tensor<2xf32>
  }
  return
}

// -----

func.func @yield_outside(%x: tensor<2xf32>) {
  // expected-error @+1 {{'nn.yield' op expects parent op 'nn.fused'}}
  nn.yield %x : tensor<2xf32>
}
