// RUN: tally-check %s --executor=eval,cpu

// A grid may leave out codes of its type, here -128: results saturate at -127.

!n = !quant.uniform<i8<-127:127>:f32, 1.0>
!wide = !quant.uniform<i8:f32, 2.0>

// -100 + -100 and 100 - -100.
func.func @sums(%x: tensor<2x!n>, %y: tensor<2x!n>) -> (tensor<2x!n>, tensor<2x!n>) attributes {
    inputs = [dense<[-100, 100]> : tensor<2xi8>, dense<-100> : tensor<2xi8>],
    expected = [dense<[-127, 0]> : tensor<2xi8>, dense<[0, 127]> : tensor<2xi8>]} {
  %0 = nn.add %x, %y : (tensor<2x!n>, tensor<2x!n>) -> tensor<2x!n>
  %1 = nn.sub %x, %y : (tensor<2x!n>, tensor<2x!n>) -> tensor<2x!n>
  return %0, %1 : tensor<2x!n>, tensor<2x!n>
}

// 20 * -20 = -400.
func.func @product(%x: tensor<1x!n>, %y: tensor<1x!n>) -> tensor<1x!n> attributes {
    inputs = [dense<20> : tensor<1xi8>, dense<-20> : tensor<1xi8>],
    expected = [dense<-127> : tensor<1xi8>]} {
  %0 = nn.mul %x, %y : (tensor<1x!n>, tensor<1x!n>) -> tensor<1x!n>
  return %0 : tensor<1x!n>
}

// Tables: -100 * 2, by another grid and by a slope.
func.func @tables(%x: tensor<2x!wide>, %y: tensor<2x!n>)
    -> (tensor<2x!n>, tensor<4x!n>, tensor<2x!n>, tensor<2x!n>) attributes {
    inputs = [dense<[-100, 3]> : tensor<2xi8>, dense<[-100, 3]> : tensor<2xi8>],
    expected = [dense<[-127, 6]> : tensor<2xi8>, dense<[-127, 6, -100, 3]> : tensor<4xi8>,
                dense<[-127, 3]> : tensor<2xi8>, dense<[-127, 3]> : tensor<2xi8>]} {
  %0 = nn.requantize %x : (tensor<2x!wide>) -> tensor<2x!n>
  %1 = nn.concat %x, %y {axis = 0 : i64} : (tensor<2x!wide>, tensor<2x!n>) -> tensor<4x!n>
  %2 = nn.leaky_relu %y {alpha = 2.0 : f32} : (tensor<2x!n>) -> tensor<2x!n>
  %s = nn.constant dense<2.0> : tensor<1xf32> : tensor<1xf32>
  %3 = nn.prelu %y, %s : (tensor<2x!n>, tensor<1xf32>) -> tensor<2x!n>
  return %0, %1, %2, %3 : tensor<2x!n>, tensor<4x!n>, tensor<2x!n>, tensor<2x!n>
}

// -100 * 2 by a weight of 1 in units of 2^-23, and the border -200.
func.func @moved(%x: tensor<1x!wide>) -> (tensor<1x!n>, tensor<2x!n>) attributes {
    inputs = [dense<-100> : tensor<1xi8>],
    expected = [dense<-127> : tensor<1xi8>, dense<-127> : tensor<2xi8>]} {
  %0 = nn.resize %x {axes = array<i64: 0>, sizes = array<i64: 1>, sources = [array<i64: 0>],
      weights = [array<i64: 8388608>]} : (tensor<1x!wide>) -> tensor<1x!n>
  %v = nn.constant dense<-200.0> : tensor<f32> : tensor<f32>
  %1 = nn.pad %0, %v {before = array<i64: 1>, after = array<i64: 0>} : (tensor<1x!n>, tensor<f32>) -> tensor<2x!n>
  return %0, %1 : tensor<1x!n>, tensor<2x!n>
}
