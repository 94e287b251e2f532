// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @softmax_axis(%x: tensor<2xf32>) {
  // expected-error @+1 {{axis 1 is not a dimension of 2 [SOFTMAX-1]}}
  %0 = nn.softmax %x {axis = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @softmax_double(%x: tensor<2xf64>) {
  // expected-error @+1 {{no normalization of elements of type float64 [SOFTMAX-2]}}
  %0 = nn.log_softmax %x {axis = 0 : i64} : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @integer_axis(%x: tensor<2x!q>) {
  // expected-error @+1 {{axis 1 is not a dimension of 2 [ISOFTMAX-1]}}
  %0 = nn.integer_softmax %x {axis = 1 : i64} : (tensor<2x!q>) -> tensor<2x!q>
  return
}

// -----

!q = !quant.uniform<i16:f32, 0.5>
func.func @integer_width(%x: tensor<2x!q>) {
  // expected-error @+1 {{no integer softmax of int16 codes of scale 0.5, zero point 0 [ISOFTMAX-2]}}
  %0 = nn.integer_softmax %x {axis = 0 : i64} : (tensor<2x!q>) -> tensor<2x!q>
  return
}

// -----

func.func @lp_power(%x: tensor<2xf32>) {
  // expected-error @+1 {{there is no normalization with p = 3 [LPNORM-3]}}
  %0 = nn.lp_normalization %x {axis = 0 : i64, p = 3 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @lp_axis(%x: tensor<2xf32>) {
  // expected-error @+1 {{[LPNORM-1]}}
  %0 = nn.lp_normalization %x {axis = 2 : i64, p = 2 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @lp_elements(%x: tensor<2xi32>) {
  // expected-error @+1 {{no normalization of elements of type int32 [LPNORM-2]}}
  %0 = nn.lp_normalization %x {axis = 0 : i64, p = 2 : i64} : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @layer_axis(%x: tensor<2xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{[LAYERNORM-1]}}
  %0, %1, %2 = nn.layer_normalization %x, %s {axis = 1 : i64, epsilon = 1.0 : f32} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @layer_elements(%x: tensor<2xi32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{[LAYERNORM-2]}}
  %0, %1, %2 = nn.layer_normalization %x, %s {axis = 0 : i64, epsilon = 1.0 : f32} : (tensor<2xi32>, tensor<2xf32>) -> (tensor<2xi32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @layer_scale(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{scale 2 and bias must have one shape that broadcasts to 2x3 [LAYERNORM-3]}}
  %0, %1, %2 = nn.layer_normalization %x, %s {axis = 1 : i64, epsilon = 1.0 : f32} : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @rms_axis(%x: tensor<2xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{[RMSNORM-1]}}
  %0 = nn.rms_normalization %x, %s {axis = 1 : i64, epsilon = 1.0 : f32} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @rms_elements(%x: tensor<2xi8>, %s: tensor<2xf32>) {
  // expected-error @+1 {{[RMSNORM-2]}}
  %0 = nn.rms_normalization %x, %s {axis = 0 : i64, epsilon = 1.0 : f32} : (tensor<2xi8>, tensor<2xf32>) -> tensor<2xi8>
  return
}

// -----

func.func @rms_scale(%x: tensor<2xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{scale 3 does not broadcast to 2 [RMSNORM-3]}}
  %0 = nn.rms_normalization %x, %s {axis = 0 : i64, epsilon = 1.0 : f32} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @batch_channels(%x: tensor<1x2xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{parameters 3 must have shape 2 [BATCHNORM-1]}}
  %0 = nn.batch_normalization %x, %s, %s, %s, %s {epsilon = 1.0 : f32} : (tensor<1x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @batch_elements(%x: tensor<1x2xi8>, %s: tensor<2xf32>) {
  // expected-error @+1 {{[BATCHNORM-2]}}
  %0 = nn.batch_normalization %x, %s, %s, %s, %s {epsilon = 1.0 : f32} : (tensor<1x2xi8>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2xi8>
  return
}

// -----

func.func @instance_rank(%x: tensor<1x2xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{[INSTNORM-1]}}
  %0 = nn.instance_normalization %x, %s, %s {epsilon = 1.0 : f32} : (tensor<1x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @instance_elements(%x: tensor<1x2x1xi8>, %s: tensor<2xf32>) {
  // expected-error @+1 {{[INSTNORM-2]}}
  %0 = nn.instance_normalization %x, %s, %s {epsilon = 1.0 : f32} : (tensor<1x2x1xi8>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x1xi8>
  return
}

// -----

func.func @group_count(%x: tensor<1x4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{3 groups do not divide the channels of 1x4 [GROUPNORM-1]}}
  %0 = nn.group_normalization %x, %s, %s {numGroups = 3 : i64, epsilon = 1.0 : f32} : (tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @group_parameters(%x: tensor<1x4xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{parameters 3 must have shape 4 [GROUPNORM-2]}}
  %0 = nn.group_normalization %x, %s, %s {numGroups = 2 : i64, epsilon = 1.0 : f32} : (tensor<1x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @group_elements(%x: tensor<1x4xi8>, %s: tensor<4xf32>) {
  // expected-error @+1 {{[GROUPNORM-3]}}
  %0 = nn.group_normalization %x, %s, %s {numGroups = 2 : i64, epsilon = 1.0 : f32} : (tensor<1x4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4xi8>
  return
}

// -----

func.func @lrn_rank(%x: tensor<1x2xf32>) {
  // expected-error @+1 {{[LRN-1]}}
  %0 = nn.lrn %x {size = 3 : i64, alpha = 1.0 : f32, beta = 1.0 : f32, bias = 1.0 : f32} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @lrn_elements(%x: tensor<1x2x1xf64>) {
  // expected-error @+1 {{[LRN-2]}}
  %0 = nn.lrn %x {size = 3 : i64, alpha = 1.0 : f32, beta = 1.0 : f32, bias = 1.0 : f32} : (tensor<1x2x1xf64>) -> tensor<1x2x1xf64>
  return
}

// -----

func.func @dynamic(%x: tensor<2xf16>) {
  // expected-error @+1 {{cannot quantize elements of type float16 [DYNQ-1]}}
  %0, %1, %2 = nn.dynamic_quantize_linear %x : (tensor<2xf16>) -> (tensor<2xui8>, tensor<f32>, tensor<ui8>)
  return
}

// -----

func.func @scale_type(%x: tensor<2xf32>, %s: tensor<f16>) {
  // expected-error @+1 {{[RTQ-1]}}
  %0 = nn.quantize_runtime %x, %s {element = i8, axis = 0 : i64} : (tensor<2xf32>, tensor<f16>) -> tensor<2xi8>
  return
}

// -----

func.func @scale_shape(%x: tensor<2x3xf32>, %s: tensor<2xf32>) {
  // expected-error @+1 {{scales 2 of a tensor 2x3 must be a single number or 3 [RTQ-2]}}
  %0 = nn.quantize_runtime %x, %s {element = i8, axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @zero_point_type(%x: tensor<2xf32>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error @+1 {{no codes of type int8 with 0 bits and this zero point [RTQ-3]}}
  %0 = nn.quantize_runtime %x, %s, %z {element = i8, axis = 0 : i64} : (tensor<2xf32>, tensor<f32>, tensor<ui8>) -> tensor<2xi8>
  return
}

// -----

func.func @codes_type(%x: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{[RTDQ-1]}}
  %0 = nn.dequantize_runtime %x, %s {axis = 0 : i64} : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @zero_points(%x: tensor<2xi8>, %s: tensor<2xf32>, %z: tensor<i8>) {
  // expected-error @+1 {{zero points scalar do not match scales 2 [RTDQ-2]}}
  %0 = nn.dequantize_runtime %x, %s, %z {axis = 0 : i64} : (tensor<2xi8>, tensor<2xf32>, tensor<i8>) -> tensor<2xf32>
  return
}

// -----

func.func @zero_point_sign(%x: tensor<2xi8>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error @+1 {{zero point of type uint8 for codes of type int8 [RTDQ-3]}}
  %0 = nn.dequantize_runtime %x, %s, %z {axis = 0 : i64} : (tensor<2xi8>, tensor<f32>, tensor<ui8>) -> tensor<2xf32>
  return
}

// -----

func.func @layer_bias(%x: tensor<2xf32>, %s: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error @+1 {{parameters of type int32 for an input of type float32 [LAYERNORM-2]}}
  %0, %1, %2 = nn.layer_normalization %x, %s, %b {axis = 0 : i64, epsilon = 1.0 : f32} : (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}
