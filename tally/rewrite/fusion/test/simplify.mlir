// RUN: tally-check %s --executor=eval,fused,cpu
// RUN: tally-opt %s --nn-fuse | tally-check - --executor=eval
// RUN: tally-opt %s --nn-fuse --remark-format=emitRemark --remarks-filter=fusion -verify-diagnostics | FileCheck %s
// RUN: tally-opt %s --nn-fuse=ideal-rounding=false | FileCheck --check-prefix=PROFILE %s

// What a chain can do without, and what it cannot. Sums of two codes on s = 1,
// z = 0 are the values that are rounded.

!huge = !quant.uniform<i8:f32, 3.0e+38>
!huge1 = !quant.uniform<i8:f32, 3.0e+38:1>
!i = !quant.uniform<i8:f32, 1.0>
!u = !quant.uniform<u8:f32, 2.0>
!u10 = !quant.uniform<u8:f32, 2.0:10>
!low = !quant.uniform<i8:f32, 2.0:-128>
!wlow = !quant.uniform<i16:f32, 2.0:-32768>
!wmid = !quant.uniform<i16:f32, 2.0:-128>
!two = !quant.uniform<i8:f32, 2.0>
!four = !quant.uniform<i8:f32, 4.0>
!eight = !quant.uniform<i8:f32, 8.0>
!six = !quant.uniform<i8:f32, 6.0>
!ten = !quant.uniform<i8:f32, 10.0:1>
!twoz = !quant.uniform<i8:f32, 2.0:100>
!tenth = !quant.uniform<i8:f32, 0.1>
!wide = !quant.uniform<i16:f32, 2.0>

//===----------------------------------------------------------------------===//
// Relu: only with the zero point at the type's minimum
//===----------------------------------------------------------------------===//

// -10 and 7 on s = 2: u8, z = 0: -5 saturates to 0, 3.5 -> 4.
// CHECK-LABEL: @relu_at_the_minimum_of_u8
// CHECK-NEXT: nn.add
// CHECK-NEXT: return
func.func @relu_at_the_minimum_of_u8(%x: tensor<2x!i>, %y: tensor<1x!i>) -> tensor<2x!u> attributes {
    inputs = [dense<[-10, 7]> : tensor<2xi8>, dense<[0]> : tensor<1xi8>],
    expected = [dense<[0, 4]> : tensor<2xui8>]} {
  %0 = nn.add %x, %y : (tensor<2x!i>, tensor<1x!i>) -> tensor<2x!u>
  // expected-remark @+1 {{FUSE-13 }}
  %1 = nn.relu %0 : (tensor<2x!u>) -> tensor<2x!u>
  return %1 : tensor<2x!u>
}

// z = 10: -5 + 10 = 5 is below the code of 0, which is 10; 4 + 10 = 14.
// CHECK-LABEL: @relu_above_the_minimum_of_u8
// CHECK: nn.fused
// CHECK: nn.relu
func.func @relu_above_the_minimum_of_u8(%x: tensor<2x!i>, %y: tensor<1x!i>) -> tensor<2x!u10> attributes {
    inputs = [dense<[-10, 7]> : tensor<2xi8>, dense<[0]> : tensor<1xi8>],
    expected = [dense<[10, 14]> : tensor<2xui8>]} {
  // expected-remark @+1 {{FUSE-1 }}
  %0 = nn.add %x, %y : (tensor<2x!i>, tensor<1x!i>) -> tensor<2x!u10>
  %1 = nn.relu %0 : (tensor<2x!u10>) -> tensor<2x!u10>
  return %1 : tensor<2x!u10>
}

// i8: z = -128 is the minimum, z = 0 is not: -5 -> 0.
// CHECK-LABEL: @relu_of_i8
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.fused
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.relu
func.func @relu_of_i8(%x: tensor<2x!i>, %y: tensor<1x!i>) -> (tensor<2x!low>, tensor<2x!two>) attributes {
    inputs = [dense<[-10, 7]> : tensor<2xi8>, dense<[0]> : tensor<1xi8>],
    expected = [dense<[-128, -124]> : tensor<2xi8>, dense<[0, 4]> : tensor<2xi8>]} {
  %0 = nn.add %x, %y : (tensor<2x!i>, tensor<1x!i>) -> tensor<2x!low>
  // expected-remark @+1 {{FUSE-13 }}
  %1 = nn.relu %0 : (tensor<2x!low>) -> tensor<2x!low>
  // expected-remark @+1 {{FUSE-1 }}
  %2 = nn.add %x, %y : (tensor<2x!i>, tensor<1x!i>) -> tensor<2x!two>
  %3 = nn.relu %2 : (tensor<2x!two>) -> tensor<2x!two>
  return %1, %3 : tensor<2x!low>, tensor<2x!two>
}

// i16: the minimum is -32768; z = -128, the minimum of i8, is not: -5 - 128 =
// -133 is raised to -128.
// CHECK-LABEL: @relu_of_i16
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.fused
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.relu
func.func @relu_of_i16(%x: tensor<2x!i>, %y: tensor<1x!i>) -> (tensor<2x!wlow>, tensor<2x!wmid>) attributes {
    inputs = [dense<[-10, 7]> : tensor<2xi8>, dense<[0]> : tensor<1xi8>],
    expected = [dense<[-32768, -32764]> : tensor<2xi16>, dense<[-128, -124]> : tensor<2xi16>]} {
  %0 = nn.add %x, %y : (tensor<2x!i>, tensor<1x!i>) -> tensor<2x!wlow>
  // expected-remark @+1 {{FUSE-13 }}
  %1 = nn.relu %0 : (tensor<2x!wlow>) -> tensor<2x!wlow>
  // expected-remark @+1 {{FUSE-1 }}
  %2 = nn.add %x, %y : (tensor<2x!i>, tensor<1x!i>) -> tensor<2x!wmid>
  %3 = nn.relu %2 : (tensor<2x!wmid>) -> tensor<2x!wmid>
  return %1, %3 : tensor<2x!wlow>, tensor<2x!wmid>
}

// To another grid, a relu that keeps every code is a requantization: 7/2 -> 4,
// real 8, on s = 4 code 2; m = 2 keeps both roundings.
// CHECK-LABEL: @relu_becomes_a_requantization
// CHECK: nn.fused
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.requantize
func.func @relu_becomes_a_requantization(%x: tensor<2x!i>, %y: tensor<1x!i>) -> tensor<2x!four> attributes {
    inputs = [dense<[-10, 7]> : tensor<2xi8>, dense<[0]> : tensor<1xi8>],
    expected = [dense<[0, 2]> : tensor<2xi8>]} {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark-re @+1 {{FUSE-16 {{.*}}the second scale is 2 times the first}}
  %0 = nn.add %x, %y : (tensor<2x!i>, tensor<1x!i>) -> tensor<2x!u>
  // expected-remark @+1 {{FUSE-13 }}
  %1 = nn.relu %0 : (tensor<2x!u>) -> tensor<2x!four>
  return %1 : tensor<2x!four>
}

//===----------------------------------------------------------------------===//
// Two clamps
//===----------------------------------------------------------------------===//

// relu, then at most 6 on one grid: -10 -> 0; 5 -> 2.5 -> 2; 40 -> 20 -> 3.
// CHECK-LABEL: @clamps_on_one_grid
// CHECK: nn.fused
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.clip {{.*}} {high = 6.000000e+00 : f32, low = 0.000000e+00 : f32}
// CHECK-NEXT: nn.yield
func.func @clamps_on_one_grid(%x: tensor<3x!i>, %y: tensor<1x!i>) -> tensor<3x!two> attributes {
    inputs = [dense<[-10, 5, 40]> : tensor<3xi8>, dense<[0]> : tensor<1xi8>],
    expected = [dense<[0, 2, 3]> : tensor<3xi8>]} {
  // expected-remark @+1 {{Edge=nn.add, Node=nn.add, Other=nn.clip}}
  %0 = nn.add %x, %y : (tensor<3x!i>, tensor<1x!i>) -> tensor<3x!two>
  %1 = nn.relu %0 : (tensor<3x!two>) -> tensor<3x!two>
  // expected-remark @+1 {{FUSE-14 }}
  %2 = nn.clip %1 {low = -1.0 : f32, high = 6.0 : f32} : (tensor<3x!two>) -> tensor<3x!two>
  return %2 : tensor<3x!two>
}

// To at most 0.3 on s = 2 is code 0; the second clamp, onto s = 0.1, finds 0.
// As one clamp it would find 0.3, code 3. 0.3 / 0.1 rounds to 3.
// CHECK-LABEL: @clamps_on_two_grids
// CHECK: nn.fused
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.clip
// CHECK-NEXT: nn.clip
func.func @clamps_on_two_grids(%x: tensor<2x!i>, %y: tensor<1x!i>) -> tensor<2x!tenth> attributes {
    inputs = [dense<[40, -40]> : tensor<2xi8>, dense<[0]> : tensor<1xi8>],
    expected = [dense<[0, 0]> : tensor<2xi8>]} {
  // expected-remark @+2 {{Edge=nn.add, Node=nn.add, Other=nn.clip}}
  // expected-remark @+1 {{Edge=nn.clip, Node=nn.add, Other=nn.clip}}
  %0 = nn.add %x, %y : (tensor<2x!i>, tensor<1x!i>) -> tensor<2x!two>
  // expected-remark @+1 {{the second scale is 0.05 times the first}}
  %1 = nn.clip %0 {low = 0.0 : f32, high = 0.3 : f32} : (tensor<2x!two>) -> tensor<2x!two>
  %2 = nn.clip %1 {low = 0.0 : f32, high = 1.0 : f32} : (tensor<2x!two>) -> tensor<2x!tenth>
  return %2 : tensor<2x!tenth>
}

// Floats keep both: the first makes -0 a +0, the second would keep it.
// CHECK-LABEL: @clamps_of_floats
// CHECK: nn.relu
// CHECK-NEXT: nn.clip
func.func @clamps_of_floats(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> attributes {
    inputs = [dense<[-0.0, 8.0]> : tensor<2xf32>, dense<[-0.0, 0.0]> : tensor<2xf32>],
    expected = [dense<[0.0, 6.0]> : tensor<2xf32>]} {
  // expected-remark @+2 {{Edge=nn.add, Node=nn.add, Other=nn.relu}}
  // expected-remark @+1 {{Edge=nn.relu, Node=nn.add, Other=nn.clip}}
  %0 = nn.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = nn.relu %0 : (tensor<2xf32>) -> tensor<2xf32>
  %2 = nn.clip %1 {low = 0.0 : f32, high = 6.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

//===----------------------------------------------------------------------===//
// Two roundings
//===----------------------------------------------------------------------===//

// m = 5: 5 -> 2.5 -> 2 -> 2/5 -> 0, at once 5/10 -> 0; 15 -> 7.5 -> 8 -> 8/5 ->
// 2, at once 1.5 -> 2; 25 -> 12.5 -> 12 -> 12/5 -> 2, at once 2.5 -> 2; z = 1
// comes last. A sum of two codes is at most 254: 127 on s = 2, and 25.4 -> 25
// on s = 10; -256 is -128, and -25.6 -> -26: the clip keeps that saturation.
// CHECK-LABEL: @five_times
// CHECK: nn.fused
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.clip {{.*}} {high = 2.500000e+02 : f32, low = -2.600000e+02 : f32}
// CHECK-NEXT: nn.yield
// PROFILE-LABEL: @five_times
// PROFILE: nn.fused
// PROFILE-NEXT: nn.add
// PROFILE-NEXT: nn.requantize
func.func @five_times(%x: tensor<5x!i>, %y: tensor<5x!i>) -> tensor<5x!ten> attributes {
    inputs = [dense<[5, 15, 25, 127, -128]> : tensor<5xi8>, dense<[0, 0, 0, 127, -128]> : tensor<5xi8>],
    expected = [dense<[1, 3, 3, 26, -25]> : tensor<5xi8>]} {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{FUSE-15 }}
  %0 = nn.add %x, %y : (tensor<5x!i>, tensor<5x!i>) -> tensor<5x!two>
  %1 = nn.requantize %0 : (tensor<5x!two>) -> tensor<5x!ten>
  return %1 : tensor<5x!ten>
}

// The saturation that counts: z = 100 on the first grid leaves 27 steps of 2
// above zero. 200 -> 100 + 100 saturates to 127, real 54, and on s = 10 that is
// 5.4 -> 5, plus 1; at once it were 20 + 1. -128 - 128 = -256 -> -128 + 100 =
// -28, real -256, -25.6 -> -26 + 1.
// CHECK-LABEL: @early_saturation
// CHECK: nn.fused
// CHECK-NEXT: nn.add
// CHECK-NEXT: nn.clip {{.*}} {high = 5.000000e+01 : f32,
func.func @early_saturation(%x: tensor<2x!i>, %y: tensor<2x!i>) -> tensor<2x!ten> attributes {
    inputs = [dense<[100, -128]> : tensor<2xi8>, dense<[100, -128]> : tensor<2xi8>],
    expected = [dense<[6, -25]> : tensor<2xi8>]} {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{FUSE-15 }}
  %0 = nn.add %x, %y : (tensor<2x!i>, tensor<2x!i>) -> tensor<2x!twoz>
  %1 = nn.requantize %0 : (tensor<2x!twoz>) -> tensor<2x!ten>
  return %1 : tensor<2x!ten>
}

// m = 1 from 16 bits: the first grid saturates nowhere that the second does
// not. 5 -> 2.5 -> 2; 254 -> 127; a Relu on the way stays a Relu: -7 -> 0.
// CHECK-LABEL: @from_sixteen_bits
// CHECK: nn.fused
// CHECK-NEXT: nn.add {{.*}} -> tensor<3x!quant.uniform<i8:f32, 2.000000e+00>>
// CHECK-NEXT: nn.relu
// CHECK-NEXT: nn.yield
func.func @from_sixteen_bits(%x: tensor<3x!i>, %y: tensor<3x!i>) -> tensor<3x!two> attributes {
    inputs = [dense<[5, 127, -7]> : tensor<3xi8>, dense<[0, 127, 0]> : tensor<3xi8>],
    expected = [dense<[2, 127, 0]> : tensor<3xi8>]} {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{FUSE-15 }}
  %0 = nn.add %x, %y : (tensor<3x!i>, tensor<3x!i>) -> tensor<3x!wide>
  %1 = nn.relu %0 : (tensor<3x!wide>) -> tensor<3x!two>
  return %1 : tensor<3x!two>
}

// m = 3 differs on ties: 3 -> 1.5 -> 2 -> 2/3 -> 1, at once 3/6 -> 0.
// CHECK-LABEL: @three_times
// CHECK: nn.add
// CHECK-NEXT: nn.requantize
func.func @three_times(%x: tensor<2x!i>, %y: tensor<1x!i>) -> tensor<2x!six> attributes {
    inputs = [dense<[3, -3]> : tensor<2xi8>, dense<[0]> : tensor<1xi8>],
    expected = [dense<[1, -1]> : tensor<2xi8>]} {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{the second scale is 3 times the first}}
  %0 = nn.add %x, %y : (tensor<2x!i>, tensor<1x!i>) -> tensor<2x!two>
  %1 = nn.requantize %0 : (tensor<2x!two>) -> tensor<2x!six>
  return %1 : tensor<2x!six>
}

// m = 2 differs beside ties, too: on s = 4, 5 -> 1.25 -> 1 and then 1/2 -> 0; at
// once 5/8 -> 1. 7 -> 1.75 -> 2 -> 1; 12 -> 3 -> 1.5 -> 2; 3 -> 0.75 -> 1 -> 0.
// CHECK-LABEL: @twice
// CHECK: nn.add
// CHECK-NEXT: nn.requantize
func.func @twice(%x: tensor<4x!i>, %y: tensor<1x!i>) -> tensor<4x!eight> attributes {
    inputs = [dense<[5, 7, 12, 3]> : tensor<4xi8>, dense<[0]> : tensor<1xi8>],
    expected = [dense<[0, 1, 2, 0]> : tensor<4xi8>]} {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{the second scale is 2 times the first}}
  %0 = nn.add %x, %y : (tensor<4x!i>, tensor<1x!i>) -> tensor<4x!four>
  %1 = nn.requantize %0 : (tensor<4x!four>) -> tensor<4x!eight>
  return %1 : tensor<4x!eight>
}

// m = 1, but the reals where the first grid saturates are beyond fp32, so no
// clip can be written: 100 and -128 plus 1.
// CHECK-LABEL: @beyond_fp32
// CHECK: nn.max_pool
// CHECK-NEXT: nn.requantize
func.func @beyond_fp32(%x: tensor<1x1x2x!huge>) -> tensor<1x1x2x!huge1> attributes {
    inputs = [dense<[[[100, -128]]]> : tensor<1x1x2xi8>],
    expected = [dense<[[[101, -127]]]> : tensor<1x1x2xi8>]} {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{the second scale is 1 times the first, but fp32 does not reach where the first saturates}}
  %0 = nn.max_pool %x {dilations = array<i64: 1>, kernel = array<i64: 1>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x2x!huge>) -> tensor<1x1x2x!huge>
  %1 = nn.requantize %0 : (tensor<1x1x2x!huge>) -> tensor<1x1x2x!huge1>
  return %1 : tensor<1x1x2x!huge1>
}
