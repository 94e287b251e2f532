// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @dequantize(%x: tensor<2xi8>) {
  // expected-error @+1 {{the input is not quantized [DEQ-1]}}
  %0 = nn.dequantize %x : (tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @quantize_input(%x: tensor<2xi64>) {
  // expected-error @+1 {{cannot quantize elements of type int64 [QUANT-1]}}
  %0 = nn.quantize %x : (tensor<2xi64>) -> tensor<2x!q>
  return
}

// -----

func.func @quantize_result(%x: tensor<2xf32>) {
  // expected-error @+1 {{result 'tensor<2xi8>' is not quantized [QUANT-2]}}
  %0 = nn.quantize %x : (tensor<2xf32>) -> tensor<2xi8>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
!c = !quant.uniform<i8:f32:0, {0.5, 0.25}>
func.func @requantize(%x: tensor<2x!c>) {
  // expected-error @+1 {{[REQ-1]}}
  %0 = nn.requantize %x : (tensor<2x!c>) -> tensor<2x!q>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @storage(%x: tensor<2x!q>) {
  // expected-error @+1 {{as 'tensor<2xui8>' [CAST-1]}}
  %0 = nn.storage_cast %x : (tensor<2x!q>) -> tensor<2xui8>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @constant_element() {
  // expected-error @+1 {{value of type 'tensor<2xi16>' cannot be a}}
  %0 = nn.constant dense<1> : tensor<2xi16> : tensor<2x!q>
  return
}

// -----

!n = !quant.uniform<i4:f32, 0.5>
func.func @constant_code() {
  // expected-error @+1 {{code 8 at element 1 is outside [-8, 7] [CONST-2]}}
  %0 = nn.constant dense<[7, 8]> : tensor<2xi8> : tensor<2x!n>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
!narrow = !quant.uniform<i8<-127:127>:f32, 0.5>
func.func @table_of_all_bytes(%x: tensor<2x!q>) {
  // expected-error @+1 {{[LOOKUP-1]}}
  %0 = nn.lookup %x {table = array<i8: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x!q>) -> tensor<2x!narrow>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @short_table(%x: tensor<2x!q>) {
  // expected-error @+1 {{has a table of 3 entries, 256 are needed [LOOKUP-2]}}
  %0 = nn.lookup %x {table = array<i8: 1, 2, 3>} : (tensor<2x!q>) -> tensor<2x!q>
  return
}
