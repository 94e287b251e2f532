module {
  func.func @main(%arg0: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> attributes {expected = [dense<0.000000e+00> : tensor<1x1x1xf32>], inputs = [dense<0.000000e+00> : tensor<1x1x1xf32>]} {
    %0 = nn.average_pool %arg0 {dilations = array<i64: 1>, kernel = array<i64: 1>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
    return %0 : tensor<1x1x1xf32>
  }
}

