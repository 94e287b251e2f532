// RUN: tally-check %s --executor=eval,cpu

// Range [-1, 4]: scale fl(5 / 255) = 0.01960784383, zero RHE(50.99999818) = 51;
// -1 becomes RHE(-51.0) + 51 = 0 and 4 RHE(204.0) + 51 = 255. 0.5 / scale is
// 25.49999909, whose nearest fp32 is 25.5 (spacing 2^-19): a tie, to 26.
func.func @dynamic(%x: tensor<3xf32>) -> (tensor<3xui8>, tensor<f32>, tensor<ui8>) attributes {
    inputs = [dense<[-1.0, 4.0, 0.5]> : tensor<3xf32>],
    expected = [dense<[0, 255, 77]> : tensor<3xui8>, dense<0x3CA0A0A1> : tensor<f32>, dense<51> : tensor<ui8>]} {
  %0, %1, %2 = nn.dynamic_quantize_linear %x : (tensor<3xf32>) -> (tensor<3xui8>, tensor<f32>, tensor<ui8>)
  return %0, %1, %2 : tensor<3xui8>, tensor<f32>, tensor<ui8>
}

// All zero: scale 1. NaN takes no part and gets code 0; only [0, 255] remains.
func.func @dynamic_special(%z: tensor<2xf32>, %n: tensor<2xf32>) -> (tensor<2xui8>, tensor<f32>, tensor<ui8>, tensor<2xui8>, tensor<f32>) attributes {
    inputs = [dense<[0.0, -0.0]> : tensor<2xf32>, dense<[0x7FC00000, 255.0]> : tensor<2xf32>],
    expected = [dense<[0, 0]> : tensor<2xui8>, dense<1.0> : tensor<f32>, dense<0> : tensor<ui8>,
                dense<[0, 255]> : tensor<2xui8>, dense<1.0> : tensor<f32>]} {
  %0, %1, %2 = nn.dynamic_quantize_linear %z : (tensor<2xf32>) -> (tensor<2xui8>, tensor<f32>, tensor<ui8>)
  %3, %4, %5 = nn.dynamic_quantize_linear %n : (tensor<2xf32>) -> (tensor<2xui8>, tensor<f32>, tensor<ui8>)
  return %0, %1, %2, %3, %4 : tensor<2xui8>, tensor<f32>, tensor<ui8>, tensor<2xui8>, tensor<f32>
}

// One scale: 1.25 / 0.5 = 2.5 is a tie, to 2, then + 1; saturation; NaN.
// Per axis 0: 3 / 1 + 1 and 3 / 2 = 1.5, to 2, + 0.
func.func @quantize(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i8>, %y: tensor<2x1xf32>, %ps: tensor<2xf32>, %pz: tensor<2xi8>) -> (tensor<4xi8>, tensor<2x1xi8>) attributes {
    inputs = [dense<[1.25, 100.0, -100.0, 0x7FC00000]> : tensor<4xf32>, dense<0.5> : tensor<f32>, dense<1> : tensor<i8>,
              dense<[[3.0], [3.0]]> : tensor<2x1xf32>, dense<[1.0, 2.0]> : tensor<2xf32>, dense<[1, 0]> : tensor<2xi8>],
    expected = [dense<[3, 127, -128, -128]> : tensor<4xi8>, dense<[[4], [2]]> : tensor<2x1xi8>]} {
  %0 = nn.quantize_runtime %x, %s, %z {element = i8, axis = 0 : i64} : (tensor<4xf32>, tensor<f32>, tensor<i8>) -> tensor<4xi8>
  %1 = nn.quantize_runtime %y, %ps, %pz {element = i8, axis = 0 : i64} : (tensor<2x1xf32>, tensor<2xf32>, tensor<2xi8>) -> tensor<2x1xi8>
  return %0, %1 : tensor<4xi8>, tensor<2x1xi8>
}

// Blocks of 2 along axis 0 of 3: rows 0 and 1 use scale 1, row 2 scale 10.
func.func @blocks(%x: tensor<3x1xi8>, %s: tensor<2x1xf32>, %z: tensor<2x1xi8>) -> tensor<3x1xf32> attributes {
    inputs = [dense<[[5], [6], [7]]> : tensor<3x1xi8>, dense<[[1.0], [10.0]]> : tensor<2x1xf32>, dense<[[0], [2]]> : tensor<2x1xi8>],
    expected = [dense<[[5.0], [6.0], [50.0]]> : tensor<3x1xf32>]} {
  %0 = nn.dequantize_runtime %x, %s, %z {axis = 0 : i64, blockSize = 2 : i64} : (tensor<3x1xi8>, tensor<2x1xf32>, tensor<2x1xi8>) -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}

// Four bits: 3 / 0.5 = 6 fits, 5 / 0.5 = 10 saturates at 7.
func.func @four_bits(%x: tensor<2xf32>, %s: tensor<f32>) -> tensor<2xi8> attributes {
    inputs = [dense<[3.0, 5.0]> : tensor<2xf32>, dense<0.5> : tensor<f32>],
    expected = [dense<[6, 7]> : tensor<2xi8>]} {
  %0 = nn.quantize_runtime %x, %s {element = i8, axis = 0 : i64, bits = 4 : i64} : (tensor<2xf32>, tensor<f32>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}
