// RUN: tally-check %s

// Halves are computed in fp32: 1 / 3 rounds to 0x3555 once.
func.func @half(%x: tensor<3xf16>) -> tensor<3xf16> attributes {
    inputs = [dense<[2.0, 2.0, 2.0]> : tensor<3xf16>],
    expected = [dense<[0x3555, 0x3555, 0x3555]> : tensor<3xf16>]} {
  %0 = nn.softmax %x {axis = 0 : i64} : (tensor<3xf16>) -> tensor<3xf16>
  return %0 : tensor<3xf16>
}
