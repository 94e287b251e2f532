// RUN: tally-check %s --executor=eval,cpu

// Zeros of both signs give +0.
func.func @float(%x: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[-1.5, -0.0, 0x7FC00000, 2.5, 0xFF800000]> : tensor<5xf32>],
    expected = [dense<[-1.0, 0.0, 0x7FC00000, 1.0, -1.0]> : tensor<5xf32>]} {
  %0 = nn.sign %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @integer(%x: tensor<3xi8>) -> tensor<3xi8> attributes {
    inputs = [dense<[-128, 0, 5]> : tensor<3xi8>],
    expected = [dense<[-1, 0, 1]> : tensor<3xi8>]} {
  %0 = nn.sign %x : (tensor<3xi8>) -> tensor<3xi8>
  return %0 : tensor<3xi8>
}

func.func @unsigned(%x: tensor<2xui64>) -> tensor<2xui64> attributes {
    inputs = [dense<[18446744073709551615, 0]> : tensor<2xui64>],
    expected = [dense<[1, 0]> : tensor<2xui64>]} {
  %0 = nn.sign %x : (tensor<2xui64>) -> tensor<2xui64>
  return %0 : tensor<2xui64>
}

!q = !quant.uniform<i8:f32, 0.05:3>
!r = !quant.uniform<i8:f32, 0.0078125>
!coarse = !quant.uniform<i8:f32, 3.0:5>

// The input's scale drops out: 1 / (1/128) = 128, which saturates at 127.
func.func @three_steps(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[-128, 3, 4, 10]> : tensor<4xi8>],
    expected = [dense<[-128, 0, 127, 127]> : tensor<4xi8>]} {
  %0 = nn.sign %x : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}

// 1/3 rounds to 0: every code is the zero point.
func.func @coarse_grid(%x: tensor<3x!q>) -> tensor<3x!coarse> attributes {
    inputs = [dense<[-128, 3, 4]> : tensor<3xi8>],
    expected = [dense<[5, 5, 5]> : tensor<3xi8>]} {
  %0 = nn.sign %x : (tensor<3x!q>) -> tensor<3x!coarse>
  return %0 : tensor<3x!coarse>
}
