module {
  func.func @main(%arg0: tensor<1x1x1x!quant.uniform<i8:f32, 6.250000e-02:127>> {nn.name = "x2"}, %arg1: tensor<1x1x1x!quant.uniform<u8:f32, 0.02083333395421505:255>> {nn.name = "x3"}) -> tensor<1x1x1xf32> attributes {expected = [dense<0.000000e+00> : tensor<1x1x1xf32>], inputs = [dense<127> : tensor<1x1x1xi8>, dense<255> : tensor<1x1x1xui8>]} {
    %0 = nn.dequantize %arg0 : (tensor<1x1x1x!quant.uniform<i8:f32, 6.250000e-02:127>>) -> tensor<1x1x1xf32>
    %1 = nn.dequantize %arg1 : (tensor<1x1x1x!quant.uniform<u8:f32, 0.02083333395421505:255>>) -> tensor<1x1x1xf32>
    %2 = nn.mul %0, %1 : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
    %3 = nn.quantize %2 : (tensor<1x1x1xf32>) -> tensor<1x1x1x!quant.uniform<i8:f32, 0.53161764144897461>>
    %4 = nn.dequantize %3 : (tensor<1x1x1x!quant.uniform<i8:f32, 0.53161764144897461>>) -> tensor<1x1x1xf32>
    %5 = nn.add %4, %2 : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
    return %5 : tensor<1x1x1xf32>
  }
}

