// RUN: tally-check %s --executor=eval,cpu

// The three shapes broadcast: 2x1, 3 and scalar.
func.func @broadcast(%c: tensor<2x1xi1>, %x: tensor<3xf32>, %y: tensor<f32>) -> tensor<2x3xf32> attributes {
    inputs = [dense<[[true], [false]]> : tensor<2x1xi1>, dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>, dense<-1.0> : tensor<f32>],
    expected = [dense<[[1.0, 0x7FC00000, 3.0], [-1.0, -1.0, -1.0]]> : tensor<2x3xf32>]} {
  %0 = nn.where %c, %x, %y : (tensor<2x1xi1>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @integer(%x: tensor<2xi1>, %y: tensor<2xi64>, %z: tensor<2xi64>) -> tensor<2xi64> attributes {
    inputs = [dense<[true, false]> : tensor<2xi1>,
              dense<[5, 6]> : tensor<2xi64>,
              dense<[7, 8]> : tensor<2xi64>],
    expected = [dense<[5, 8]> : tensor<2xi64>]} {
  %0 = nn.where %x, %y, %z : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

!a = !quant.uniform<i8:f32, 0.5:1>
!b_ = !quant.uniform<i8:f32, 0.25>
!r = !quant.uniform<i8:f32, 0.125:-3>

// Reals 1 and 5/4 in eighths, minus 3.
func.func @codes(%x: tensor<2xi1>, %y: tensor<2x!a>, %z: tensor<2x!b_>) -> tensor<2x!r> attributes {
    inputs = [dense<[true, false]> : tensor<2xi1>,
              dense<[3, 3]> : tensor<2xi8>,
              dense<[5, 5]> : tensor<2xi8>],
    expected = [dense<[5, 7]> : tensor<2xi8>]} {
  %0 = nn.where %x, %y, %z : (tensor<2xi1>, tensor<2x!a>, tensor<2x!b_>) -> tensor<2x!r>
  return %0 : tensor<2x!r>
}

func.func @same_grid(%x: tensor<2xi1>, %y: tensor<2x!a>, %z: tensor<2x!a>) -> tensor<2x!a> attributes {
    inputs = [dense<[true, false]> : tensor<2xi1>,
              dense<[3, 3]> : tensor<2xi8>,
              dense<[5, 5]> : tensor<2xi8>],
    expected = [dense<[3, 5]> : tensor<2xi8>]} {
  %0 = nn.where %x, %y, %z : (tensor<2xi1>, tensor<2x!a>, tensor<2x!a>) -> tensor<2x!a>
  return %0 : tensor<2x!a>
}

// A run-time condition does not keep it from being a group: one rounding.
func.func @group(%c: tensor<2xi1>, %x: tensor<2x!a>, %y: tensor<2x!b_>) -> tensor<2x!r> attributes {
    inputs = [dense<[true, false]> : tensor<2xi1>, dense<[3, 3]> : tensor<2xi8>, dense<[5, 5]> : tensor<2xi8>],
    expected = [dense<[5, 7]> : tensor<2xi8>]} {
  %dx = nn.dequantize %x : (tensor<2x!a>) -> tensor<2xf32>
  %dy = nn.dequantize %y : (tensor<2x!b_>) -> tensor<2xf32>
  %w = nn.where %c, %dx, %dy : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %0 = nn.quantize %w : (tensor<2xf32>) -> tensor<2x!r>
  return %0 : tensor<2x!r>
}
