// RUN: tally-check %s --executor=eval,cpu

func.func @float(%x: tensor<5xf32>) -> tensor<5xf32> attributes {
    inputs = [dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 1.0]> : tensor<5xf32>],
    expected = [dense<[0.0, -0.0, 1.0, -1.0, 0.7615941762924194]> : tensor<5xf32>]} {
  %0 = nn.tanh %x : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

!q = !quant.uniform<i8:f32, 0.5>
!r = !quant.uniform<i8:f32, 0.0078125>

// 2: tanh 1 = 0.76159 is 97.48 of 128; -1: -0.46212 is -59.15.
func.func @codes(%x: tensor<4x!q>) -> tensor<4x!r> attributes {
    inputs = [dense<[2, -1, 0, -128]> : tensor<4xi8>],
    expected = [dense<[97, -59, 0, -128]> : tensor<4xi8>]} {
  %0 = nn.tanh %x : (tensor<4x!q>) -> tensor<4x!r>
  return %0 : tensor<4x!r>
}
