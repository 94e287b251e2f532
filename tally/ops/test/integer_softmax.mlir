// RUN: tally-check %s --executor=eval,cpu

!x = !quant.uniform<i8:f32, 0.0625:5>
!share = !quant.uniform<u8:f32, 0.00390625:0>
!thirds = !quant.uniform<i8:f32, 1.0:-1>

// Two equal codes: 2^30 / 2^31 = 1/2 = 128 / 256. A code 200 steps of 1/16
// below: exp(-12.5) * 2^30 = 4001.5.. and 4e-6 is no code; 1 saturates at 255.
func.func @codes(%x: tensor<2x2x!x>) -> tensor<2x2x!share> attributes {
    inputs = [dense<[[7, 7], [100, -100]]> : tensor<2x2xi8>],
    expected = [dense<[[128, 128], [255, 0]]> : tensor<2x2xui8>]} {
  %0 = nn.integer_softmax %x {axis = 1 : i64} : (tensor<2x2x!x>) -> tensor<2x2x!share>
  return %0 : tensor<2x2x!share>
}

// A share of 1/2 on a grid of 1 is a tie, to 0, code -1.
func.func @tie(%x: tensor<2x!x>) -> tensor<2x!thirds> attributes {
    inputs = [dense<[7, 7]> : tensor<2xi8>],
    expected = [dense<[-1, -1]> : tensor<2xi8>]} {
  %0 = nn.integer_softmax %x {axis = 0 : i64} : (tensor<2x!x>) -> tensor<2x!thirds>
  return %0 : tensor<2x!thirds>
}
