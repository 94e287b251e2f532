// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @inner(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+1 {{cannot multiply 2x3 by 2x3 [MATMUL-1]}}
  %0 = nn.matmul %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transposed(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @+1 {{cannot multiply 2x3 (transposed) by 3x2 [MATMUL-1]}}
  %0 = nn.matmul %a, %b {transA = true} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @batch(%a: tensor<2x1x1xf32>, %b: tensor<3x1x1xf32>) {
  // expected-error @+1 {{leading dimensions of 2x1x1 and 3x1x1 do not broadcast [MATMUL-2]}}
  %0 = nn.matmul %a, %b : (tensor<2x1x1xf32>, tensor<3x1x1xf32>) -> tensor<3x1x1xf32>
  return
}

// -----

// A grid along the summed dimension cannot leave the sum.
!a = !quant.uniform<i8:f32, 0.5>
!k = !quant.uniform<i8:f32:0, {0.5, 0.25}>
func.func @along_k(%a: tensor<2x2x!a>, %b: tensor<2x2x!k>) {
  // expected-error @+1 {{[MATMUL-3]}}
  %0 = nn.matmul %a, %b : (tensor<2x2x!a>, tensor<2x2x!k>) -> tensor<2x2x!a>
  return
}

// -----

func.func @integer_inner(%a: tensor<2x3xui8>, %b: tensor<2x3xui8>) {
  // expected-error @+1 {{cannot multiply 2x3 by 2x3 [MATMULI-1]}}
  %0 = nn.matmul_integer %a, %b {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x3xui8>, tensor<2x3xui8>) -> tensor<2x3xi32>
  return
}

// -----

func.func @integer_batch(%a: tensor<2x1x1xui8>, %b: tensor<3x1x1xui8>) {
  // expected-error @+1 {{do not broadcast [MATMULI-2]}}
  %0 = nn.matmul_integer %a, %b {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x1x1xui8>, tensor<3x1x1xui8>) -> tensor<3x1x1xi32>
  return
}

// -----

func.func @integer_elements(%a: tensor<1x1xi16>, %b: tensor<1x1xi8>) {
  // expected-error @+1 {{a of type int16 is not int8 or uint8 [MATMULI-3]}}
  %0 = nn.matmul_integer %a, %b {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<1x1xi16>, tensor<1x1xi8>) -> tensor<1x1xi32>
  return
}

// -----

func.func @zero_point_type(%a: tensor<1x1xui8>, %b: tensor<1x1xi8>, %z: tensor<i8>) {
  // expected-error @+1 {{zero point of type int8 for a of type uint8 [MATMULI-3]}}
  %0 = nn.matmul_integer %a, %b, %z {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<1x1xui8>, tensor<1x1xi8>, tensor<i8>) -> tensor<1x1xi32>
  return
}

// -----

func.func @zero_point_shape(%a: tensor<3x2xui8>, %b: tensor<2x1xi8>, %z: tensor<2xui8>) {
  // expected-error @+1 {{zero points 2 of a 3x2 must be one, 3 or 3x1 [MATMULI-4]}}
  %0 = nn.matmul_integer %a, %b, %z {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<3x2xui8>, tensor<2x1xi8>, tensor<2xui8>) -> tensor<3x1xi32>
  return
}

// -----

func.func @conv_rank(%x: tensor<1x2xui8>, %w: tensor<1x2xui8>) {
  // expected-error @+1 {{input 1x2 and weight 1x2 must have one rank, at least 3 [CONV-1]}}
  %0 = nn.conv_integer %x, %w {operandSegmentSizes = array<i32: 1, 1, 0, 0>, strides = array<i64>, pads = array<i64>, dilations = array<i64>, group = 1 : i64} : (tensor<1x2xui8>, tensor<1x2xui8>) -> tensor<1x1xi32>
  return
}

// -----

func.func @conv_elements(%x: tensor<1x1x2xf32>, %w: tensor<1x1x2xui8>) {
  // expected-error @+1 {{no integer convolution of float32 [CONVI-1]}}
  %0 = nn.conv_integer %x, %w {operandSegmentSizes = array<i32: 1, 1, 0, 0>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x2xui8>) -> tensor<1x1x1xi32>
  return
}

// -----

func.func @conv_zero_points(%x: tensor<1x1x2xui8>, %w: tensor<3x1x2xui8>, %zx: tensor<ui8>, %zw: tensor<2xui8>) {
  // expected-error @+1 {{zero points 2 must be one number or 3 [CONVI-2]}}
  %0 = nn.conv_integer %x, %w, %zx, %zw {operandSegmentSizes = array<i32: 1, 1, 1, 1>, strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, group = 1 : i64} : (tensor<1x1x2xui8>, tensor<3x1x2xui8>, tensor<ui8>, tensor<2xui8>) -> tensor<1x3x1xi32>
  return
}

// -----

func.func @transpose_rank(%x: tensor<1x2xf32>, %w: tensor<1x2xf32>) {
  // expected-error @+1 {{must have one rank, at least 3 [CONVT-1]}}
  %0 = nn.conv_transpose %x, %w {strides = array<i64>, pads = array<i64>, dilations = array<i64>, outputPadding = array<i64>, group = 1 : i64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @transpose_channels(%x: tensor<1x2x2xf32>, %w: tensor<3x1x1xf32>) {
  // expected-error @+1 {{weight 3x1x1 with 1 groups does not fit 2 input channels [CONVT-2]}}
  %0 = nn.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, group = 1 : i64} : (tensor<1x2x2xf32>, tensor<3x1x1xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @output_padding(%x: tensor<1x1x2xf32>, %w: tensor<1x1x1xf32>) {
  // expected-error @+1 {{outputPadding needs 1 entries in [0, max(stride, dilation)) [CONVT-3]}}
  %0 = nn.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 1>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x1xf32>) -> tensor<1x1x3xf32>
  return
}

// -----

func.func @transpose_size(%x: tensor<1x1x2xf32>, %w: tensor<1x1x1xf32>) {
  // expected-error @+1 {{nothing is left of spatial dimension 0 of input 1x1x2 [CONVT-4]}}
  %0 = nn.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  return
}

// -----

func.func @transpose_bias(%x: tensor<1x1x2xf32>, %w: tensor<1x2x1xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{bias 1 must have shape 2 [CONVT-5]}}
  %0 = nn.conv_transpose %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x2x1xf32>, tensor<1xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32:0, {0.5, 0.25}>
func.func @transpose_axis(%x: tensor<1x2x2x!x>, %w: tensor<2x1x1x!w>) {
  // expected-error @+1 {{[CONVT-6]}}
  %0 = nn.conv_transpose %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, group = 1 : i64} : (tensor<1x2x2x!x>, tensor<2x1x1x!w>) -> tensor<1x1x2x!x>
  return
}

// -----

func.func @gemm_inner(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+1 {{cannot multiply 2x3 (transposed) by 2x3 (transposed) [GEMM-1]}}
  %0 = nn.gemm %a, %b {alpha = 1.0 : f32, beta = 1.0 : f32, transA = true, transB = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @gemm_addend(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %c: tensor<3xf32>) {
  // expected-error @+1 {{C of shape 3 does not broadcast to 2x2 [GEMM-2]}}
  %0 = nn.gemm %a, %b, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @gemm_elements(%a: tensor<1x1xi32>) {
  // expected-error @+1 {{no product of int32 with int32 [GEMM-3]}}
  %0 = nn.gemm %a, %a {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
  return
}

// -----

func.func @conv_channels(%x: tensor<1x3x4xf32>, %w: tensor<2x2x1xf32>) {
  // expected-error @+1 {{weight 2x2x1 with 1 groups needs 2 input channels, found 3 [CONV-2]}}
  %0 = nn.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, group = 1 : i64} : (tensor<1x3x4xf32>, tensor<2x2x1xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @conv_attributes(%x: tensor<1x1x4xf32>, %w: tensor<1x1x1xf32>) {
  // expected-error @+1 {{kernel, strides and dilations need 1 positive entries each and pads 2 [CONV-3]}}
  %0 = nn.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0>, dilations = array<i64: 1>, group = 1 : i64} : (tensor<1x1x4xf32>, tensor<1x1x1xf32>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @conv_size(%x: tensor<1x1x2xf32>, %w: tensor<1x1x3xf32>) {
  // expected-error @+1 {{the window does not fit in spatial dimension 0 of input 1x1x2 [CONV-4]}}
  %0 = nn.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x3xf32>) -> tensor<1x1x1xf32>
  return
}

// -----

func.func @conv_bias(%x: tensor<1x1x2xf32>, %w: tensor<1x1x1xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{bias 2 must have shape 1 [CONV-5]}}
  %0 = nn.conv %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x1xf32>, tensor<2xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @conv_types(%x: tensor<1x1x2xf32>, %w: tensor<1x1x1xi8>) {
  // expected-error @+1 {{no convolution of float32 with weights of int8 [CONV-6]}}
  %0 = nn.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x1xi8>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @conv_bias_type(%x: tensor<1x1x2xf32>, %w: tensor<1x1x1xf32>, %b: tensor<1xi32>) {
  // expected-error @+1 {{no convolution of float32 with weights of float32 and an addend of int32 [CONV-6]}}
  %0 = nn.conv %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x1xf32>, tensor<1xi32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @conv_transpose_bias_type(%x: tensor<1x1x2xf32>, %w: tensor<1x1x1xf32>, %b: tensor<1xf16>) {
  // expected-error @+1 {{weights of float32 and an addend of float16 [CONVT-6]}}
  %0 = nn.conv_transpose %x, %w, %b {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, outputPadding = array<i64: 0>, group = 1 : i64} : (tensor<1x1x2xf32>, tensor<1x1x1xf32>, tensor<1xf16>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @gemm_addend_type(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2xi64>) {
  // expected-error @+1 {{no product of float32 with float32 and an addend of int64 [GEMM-3]}}
  %0 = nn.gemm %a, %b, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<2x3xf32>, tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return
}

// -----

// 2^62 times 3 - 1 would wrap to a window that fits.
func.func @conv_overflow(%x: tensor<1x1x4xf32>, %w: tensor<1x1x3xf32>) {
  // expected-error @+1 {{must fit 32 bits, found 4611686018427387904 [CONV-3]}}
  %0 = nn.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 0, 0>, dilations = array<i64: 4611686018427387904>, group = 1 : i64} : (tensor<1x1x4xf32>, tensor<1x1x3xf32>) -> tensor<1x1x4xf32>
  return
}
