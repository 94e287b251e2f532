// RUN: tally-check %s --executor=eval,cpu

// Columns of x[r, c] = 10r + c. Index -1 is the last one; 7 and -9 lie outside
// and are clamped to the last and the first.
func.func @columns(%x: tensor<2x3xf32>, %i: tensor<2x2xi64>) -> tensor<2x2x2xf32> attributes {
    inputs = [dense<[[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]> : tensor<2x3xf32>,
              dense<[[-1, 1], [7, -9]]> : tensor<2x2xi64>],
    expected = [dense<[[[2.0, 1.0], [2.0, 0.0]], [[12.0, 11.0], [12.0, 10.0]]]> : tensor<2x2x2xf32>]} {
  %0 = nn.gather %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2x2x2xf32>
  return %0 : tensor<2x2x2xf32>
}

func.func @scalar_index(%x: tensor<3x2xi8>, %i: tensor<i32>) -> tensor<2xi8> attributes {
    inputs = [dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8>, dense<1> : tensor<i32>],
    expected = [dense<[3, 4]> : tensor<2xi8>]} {
  %0 = nn.gather %x, %i {axis = 0 : i64} : (tensor<3x2xi8>, tensor<i32>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// An embedding table of codes between Dequantize and Quantize: real 3 * 0.5 =
// 1.5 on scale 1 is 2 (even), -1 * 0.5 = -0.5 is 0, plus zero point 10.
!t = !quant.uniform<i8:f32, 0.5>
!y = !quant.uniform<i8:f32, 1.0:10>
func.func @embedding(%t: tensor<2x2x!t>, %i: tensor<1xi64>) -> tensor<1x2x!y> attributes {
    inputs = [dense<[[9, 9], [3, -1]]> : tensor<2x2xi8>, dense<[1]> : tensor<1xi64>],
    expected = [dense<[[12, 10]]> : tensor<1x2xi8>]} {
  %0 = nn.dequantize %t : (tensor<2x2x!t>) -> tensor<2x2xf32>
  %1 = nn.gather %0, %i {axis = 0 : i64} : (tensor<2x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  %2 = nn.quantize %1 : (tensor<1x2xf32>) -> tensor<1x2x!y>
  return %2 : tensor<1x2x!y>
}

// The same on codes, and with the table's own grid, where codes are copied.
func.func @codes(%t: tensor<2x2x!t>, %i: tensor<1xi64>) -> (tensor<1x2x!y>, tensor<1x2x!t>) attributes {
    inputs = [dense<[[9, 9], [3, -1]]> : tensor<2x2xi8>, dense<[1]> : tensor<1xi64>],
    expected = [dense<[[12, 10]]> : tensor<1x2xi8>, dense<[[3, -1]]> : tensor<1x2xi8>]} {
  %0 = nn.gather %t, %i {axis = 0 : i64} : (tensor<2x2x!t>, tensor<1xi64>) -> tensor<1x2x!y>
  %1 = nn.gather %t, %i {axis = 0 : i64} : (tensor<2x2x!t>, tensor<1xi64>) -> tensor<1x2x!t>
  return %0, %1 : tensor<1x2x!y>, tensor<1x2x!t>
}
