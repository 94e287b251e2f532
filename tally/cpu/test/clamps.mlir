// RUN: tally-check %s --executor=eval,fused,cpu

// A clamp on one grid is two bounds on codes, whatever stores them: bounds in
// the codes' range and out of it, in the wrong order, unsigned, of 4 and 16
// bits, and on a grid that leaves out a code.

!i8 = !quant.uniform<i8:f32, 0.5:3>
!u8 = !quant.uniform<u8:f32, 0.5:200>
!i4 = !quant.uniform<i4:f32, 0.5:-2>
!u4 = !quant.uniform<u4:f32, 0.5:9>
!i16 = !quant.uniform<i16:f32, 0.5:-1000>
!n = !quant.uniform<i8<-127:127>:f32, 0.5>

// Code 3 is 0; -1 and 0.6 are -2 + 3 and 1.2 + 3.
func.func @i8(%x: tensor<4x!i8>) -> (tensor<4x!i8>, tensor<4x!i8>, tensor<4x!i8>, tensor<4x!i8>) attributes {
    inputs = [dense<[-128, 2, 4, 127]> : tensor<4xi8>],
    expected = [dense<[3, 3, 4, 127]> : tensor<4xi8>, dense<[1, 2, 4, 4]> : tensor<4xi8>,
                dense<1> : tensor<4xi8>, dense<[-128, 2, 4, 127]> : tensor<4xi8>]} {
  %0 = nn.relu %x : (tensor<4x!i8>) -> tensor<4x!i8>
  %1 = nn.clip %x {low = -1.0 : f32, high = 0.6 : f32} : (tensor<4x!i8>) -> tensor<4x!i8>
  %2 = nn.clip %x {low = 0.6 : f32, high = -1.0 : f32} : (tensor<4x!i8>) -> tensor<4x!i8>
  %3 = nn.clip %x {low = -1000.0 : f32, high = 0x7F800000 : f32} : (tensor<4x!i8>) -> tensor<4x!i8>
  return %0, %1, %2, %3 : tensor<4x!i8>, tensor<4x!i8>, tensor<4x!i8>, tensor<4x!i8>
}

func.func @u8(%x: tensor<4x!u8>) -> tensor<4x!u8> attributes {
    inputs = [dense<[0, 127, 128, 255]> : tensor<4xui8>],
    expected = [dense<200> : tensor<4xui8>]} {
  %0 = nn.clip %x {low = 0.0 : f32, high = 0.2 : f32} : (tensor<4x!u8>) -> tensor<4x!u8>
  return %0 : tensor<4x!u8>
}

func.func @four_bits(%x: tensor<4x!i4>, %y: tensor<4x!u4>) -> (tensor<4x!i4>, tensor<4x!u4>) attributes {
    inputs = [dense<[-8, -3, -1, 7]> : tensor<4xi8>, dense<[0, 8, 10, 15]> : tensor<4xui8>],
    expected = [dense<[-2, -2, -1, 7]> : tensor<4xi8>, dense<[9, 9, 10, 15]> : tensor<4xui8>]} {
  %0 = nn.relu %x : (tensor<4x!i4>) -> tensor<4x!i4>
  %1 = nn.relu %y : (tensor<4x!u4>) -> tensor<4x!u4>
  return %0, %1 : tensor<4x!i4>, tensor<4x!u4>
}

// 10 is 20 steps.
func.func @sixteen_bits(%x: tensor<4x!i16>) -> tensor<4x!i16> attributes {
    inputs = [dense<[-32768, -1001, -990, 32767]> : tensor<4xi16>],
    expected = [dense<[-1000, -1000, -990, -980]> : tensor<4xi16>]} {
  %0 = nn.clip %x {low = 0.0 : f32, high = 10.0 : f32} : (tensor<4x!i16>) -> tensor<4x!i16>
  return %0 : tensor<4x!i16>
}

func.func @narrow(%x: tensor<3x!n>) -> tensor<3x!n> attributes {
    inputs = [dense<[-127, 5, 127]> : tensor<3xi8>],
    expected = [dense<[-127, 5, 20]> : tensor<3xi8>]} {
  %0 = nn.clip %x {low = -1000.0 : f32, high = 10.0 : f32} : (tensor<3x!n>) -> tensor<3x!n>
  return %0 : tensor<3x!n>
}
