// RUN: tally-check %s --executor=eval,cpu

// Sums of nothing are 0 (and the bias), whatever they would be sums of.

!q = !quant.uniform<i8:f32, 0.5:1>

func.func @matmul_floats(%a: tensor<2x0xf32>, %b: tensor<0x3xf32>) -> tensor<2x3xf32> attributes {
    inputs = [dense<> : tensor<2x0xf32>, dense<> : tensor<0x3xf32>],
    expected = [dense<0.0> : tensor<2x3xf32>]} {
  %0 = nn.matmul %a, %b : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @matmul_codes(%a: tensor<2x0x!q>, %b: tensor<0x3x!q>) -> (tensor<2x3x!q>, tensor<2x3x!q>) attributes {
    inputs = [dense<> : tensor<2x0xi8>, dense<> : tensor<0x3xi8>],
    expected = [dense<1> : tensor<2x3xi8>, dense<1> : tensor<2x3xi8>]} {
  %0 = nn.matmul %a, %b : (tensor<2x0x!q>, tensor<0x3x!q>) -> tensor<2x3x!q>
  %c = nn.constant dense<> : tensor<0x3xi8> : tensor<0x3x!q>
  %1 = nn.matmul %a, %c : (tensor<2x0x!q>, tensor<0x3x!q>) -> tensor<2x3x!q>
  return %0, %1 : tensor<2x3x!q>, tensor<2x3x!q>
}

func.func @gemm(%a: tensor<2x0xf32>, %b: tensor<0x3xf32>, %c: tensor<3xf32>) -> tensor<2x3xf32> attributes {
    inputs = [dense<> : tensor<2x0xf32>, dense<> : tensor<0x3xf32>, dense<[1.0, 2.0, 3.0]> : tensor<3xf32>],
    expected = [dense<[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>]} {
  %0 = nn.gemm %a, %b, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false}
      : (tensor<2x0xf32>, tensor<0x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @matmul_integers(%a: tensor<2x0xi8>, %b: tensor<0x3xi8>) -> tensor<2x3xi32> attributes {
    inputs = [dense<> : tensor<2x0xi8>, dense<> : tensor<0x3xi8>],
    expected = [dense<0> : tensor<2x3xi32>]} {
  %0 = nn.matmul_integer %a, %b {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x0xi8>, tensor<0x3xi8>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
