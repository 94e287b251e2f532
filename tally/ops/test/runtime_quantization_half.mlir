// RUN: tally-check %s

// A half scale gives halves: 3 * 0.3333 (0x3555) = 0.99975586 is a half.
func.func @half(%x: tensor<1xi8>, %s: tensor<f16>) -> tensor<1xf16> attributes {
    inputs = [dense<[3]> : tensor<1xi8>, dense<0x3555> : tensor<f16>],
    expected = [dense<[0x3C00]> : tensor<1xf16>]} {
  %0 = nn.dequantize_runtime %x, %s {axis = 0 : i64} : (tensor<1xi8>, tensor<f16>) -> tensor<1xf16>
  return %0 : tensor<1xf16>
}
