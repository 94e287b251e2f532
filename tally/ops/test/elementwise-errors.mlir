// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @shapes(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{nn.add: shapes 2 and 3 do not broadcast [ELEM-1]}}
  %0 = nn.add %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @types(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @+1 {{nn.less: element types float32 and float64 differ [ELEM-2]}}
  %0 = nn.less %x, %y : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xi1>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @codes_and_floats(%x: tensor<2x!q>, %y: tensor<2xf32>) {
  // expected-error @+1 {{differ [ELEM-2]}}
  %0 = nn.mul %x, %y : (tensor<2x!q>, tensor<2xf32>) -> tensor<2x!q>
  return
}

// -----

func.func @no_fp64_function(%x: tensor<2xf64>) {
  // expected-error @+1 {{nn.exp has no meaning on elements of type float64 [ELEM-3]}}
  %0 = nn.exp %x : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @no_quotient_of_codes(%x: tensor<2x!q>) {
  // expected-error @+1 {{nn.div has no meaning on elements of type int8 codes of scale 0.5, zero point 0 [ELEM-3]}}
  %0 = nn.div %x, %x : (tensor<2x!q>, tensor<2x!q>) -> tensor<2x!q>
  return
}

// -----

!axis = !quant.uniform<i8:f32:0, {0.5,0.25}>
func.func @per_axis(%x: tensor<2x!axis>) {
  // expected-error @+1 {{nn.abs has no meaning on elements of type}}
  %0 = nn.abs %x : (tensor<2x!axis>) -> tensor<2x!axis>
  return
}

// -----

func.func @logic_of_numbers(%x: tensor<2xi8>) {
  // expected-error @+1 {{nn.and has no meaning on elements of type int8 [ELEM-3]}}
  %0 = nn.and %x, %x : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return
}

// -----

func.func @parameter(%x: tensor<2xf32>) {
  // expected-error @+1 {{parameter "alpha" is INF, not a finite number [ELEM-4]}}
  %0 = nn.elu %x {alpha = 0x7F800000 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @nan_bound(%x: tensor<2xf32>) {
  // expected-error @+1 {{a bound is NaN [CLIP-1]}}
  %0 = nn.clip %x {low = 0x7FC00000 : f32, high = 1.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @celu(%x: tensor<2xf32>) {
  // expected-error @+1 {{alpha is 0 [CELU-1]}}
  %0 = nn.celu %x {alpha = 0.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @mod(%x: tensor<2xf32>) {
  // expected-error @+1 {{on floats needs fmod = 1 [MOD-1]}}
  %0 = nn.mod %x, %x {fmod = false} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @prelu_shape(%x: tensor<2xf32>, %s: tensor<3x1xf32>) {
  // expected-error @+1 {{the slope's shape 3x1 does not broadcast to the input's 2 [PRELU-1]}}
  %0 = nn.prelu %x, %s : (tensor<2xf32>, tensor<3x1xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @prelu_type(%x: tensor<2xf32>, %s: tensor<2xi8>) {
  // expected-error @+1 {{no slope of type int8 for an input of type float32 [PRELU-2]}}
  %0 = nn.prelu %x, %s : (tensor<2xf32>, tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @pow_shape(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{shapes 2 and 3 do not broadcast [POW-1]}}
  %0 = nn.pow %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @pow_type(%x: tensor<2xf64>) {
  // expected-error @+1 {{no power of float64 to float64 [POW-2]}}
  %0 = nn.pow %x, %x : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @pow_of_codes(%x: tensor<2x!q>, %y: tensor<2xf32>) {
  // expected-error @+1 {{to float32 [POW-2]}}
  %0 = nn.pow %x, %y : (tensor<2x!q>, tensor<2xf32>) -> tensor<2x!q>
  return
}

// -----

func.func @where_condition(%c: tensor<2xi8>, %x: tensor<2xf32>) {
  // expected-error @+1 {{the condition is int8, not boolean [WHERE-1]}}
  %0 = nn.where %c, %x, %x : (tensor<2xi8>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @where_types(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xi8>) {
  // expected-error @+1 {{cannot choose between float32 and int8 [WHERE-2]}}
  %0 = nn.where %c, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @where_shapes(%c: tensor<2xi1>, %x: tensor<3xf32>) {
  // expected-error @+1 {{shapes 2, 3 and 3 do not broadcast [WHERE-3]}}
  %0 = nn.where %c, %x, %x : (tensor<2xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @cast_codes(%x: tensor<2x!q>) {
  // expected-error @+1 {{codes have a grid [CAST-2]}}
  %0 = nn.cast %x : (tensor<2x!q>) -> tensor<2xf32>
  return
}
