// RUN: tally-opt %s -split-input-file -verify-diagnostics

module {
  nn.state @h : tensor<2xf32> {init = dense<0.0> : tensor<2xf32>}
  func.func @main(%x: tensor<2xf32>) {
    // expected-error @+1 {{there is no state @g [STATE-1]}}
    %0 = nn.state_read @g : tensor<2xf32>
    nn.state_write @h, %x : tensor<2xf32>
    return
  }
}

// -----

module {
  nn.state @h : tensor<2xf32>
  func.func @main(%x: tensor<3xf32>) {
    // expected-error @+1 {{has type 'tensor<3xf32>', the state 'tensor<2xf32>' [STATE-2]}}
    nn.state_write @h, %x : tensor<3xf32>
    return
  }
}

// -----

module {
  // expected-error @+1 {{has 2 writes, expected 1 [STATE-3]}}
  nn.state @h : tensor<2xf32>
  func.func @main(%x: tensor<2xf32>) {
    nn.state_write @h, %x : tensor<2xf32>
    nn.state_write @h, %x : tensor<2xf32>
    return
  }
}

// -----

module {
  // expected-error @+1 {{has 0 writes, expected 1 [STATE-3]}}
  nn.state @h : tensor<2xf32>
  func.func @main() -> tensor<2xf32> {
    %0 = nn.state_read @h : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

// expected-error @+1 {{init is a 'tensor<3xf32>', expected 'tensor<2xf32>' [STATE-4]}}
nn.state @h : tensor<2xf32> {init = dense<0.0> : tensor<3xf32>}

// -----

// expected-error @+1 {{init has a code outside of its grid [STATE-4]}}
nn.state @h : tensor<2x!quant.uniform<i8<-7:7>:f32, 0.5>> {init = dense<8> : tensor<2xi8>}

// -----

// expected-error @+1 {{is no number with a largest value [STATE-11]}}
nn.state @rows : tensor<2xi64> {init = dense<0> : tensor<2xi64>, most = 3 : i64}

// -----

// expected-error @+1 {{is no number with a largest value [STATE-11]}}
nn.state @rows : tensor<1xi64> {init = dense<0> : tensor<1xi64>, most = -1 : i64}

// -----

func.func @longer(%old: tensor<2x3xf32>, %x: tensor<2x1xf32>) -> tensor<2x5xf32> {
  // expected-error @+1 {{cannot make 'tensor<2x5xf32>' of 'tensor<2x3xf32>' and 'tensor<2x1xf32>' [SHIFT-1]}}
  %0 = nn.shift_in %old, %x {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
