// RUN: tally-opt %s -split-input-file -verify-diagnostics

func.func @gather_1(%x: tensor<2x3xf32>, %i: tensor<1xi64>) {
  // expected-error@+1 {{axis 2 is no dimension of 2x3 [GATHER-1]}}
  %0 = nn.gather %x, %i {axis = 2 : i64} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @index_1(%x: tensor<2x3xf32>, %i: tensor<1xf32>) {
  // expected-error@+1 {{indices of type float32 are neither int32 nor int64 [INDEX-1]}}
  %0 = nn.gather %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @index_2(%x: tensor<2x0xf32>, %i: tensor<1xi64>) {
  // expected-error@+1 {{dimension 1 of 2x0 has no index [INDEX-2]}}
  %0 = nn.gather %x, %i {axis = 1 : i64} : (tensor<2x0xf32>, tensor<1xi64>) -> tensor<2x1xf32>
  return
}

// -----

!p = !quant.uniform<i8:f32:1, {0.5, 2.0}>
func.func @index_3(%x: tensor<3x2x!p>, %i: tensor<1xi64>) {
  // expected-error@+1 {{whose grid is not one per tensor [INDEX-3]}}
  %0 = nn.gather %x, %i {axis = 0 : i64} : (tensor<3x2x!p>, tensor<1xi64>) -> tensor<1x2x!p>
  return
}

// -----

func.func @gatherelem_1(%x: tensor<2x3xf32>, %i: tensor<1xi64>) {
  // expected-error@+1 {{axis 0 and indices of shape 1 do not fit data of shape 2x3 [GATHERELEM-1]}}
  %0 = nn.gather_elements %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @gatherelem_2(%x: tensor<2x3xf32>, %i: tensor<2x4xi64>) {
  // expected-error@+1 {{indices of shape 2x4 are larger than data of shape 2x3 [GATHERELEM-2]}}
  %0 = nn.gather_elements %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gathernd_1(%x: tensor<2x3xf32>, %i: tensor<4x3xi64>) {
  // expected-error@+1 {{indices of shape 4x3 with 0 batch dimensions do not fit data of shape 2x3 [GATHERND-1]}}
  %0 = nn.gather_nd %x, %i {batchDims = 0 : i64} : (tensor<2x3xf32>, tensor<4x3xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_1(%x: tensor<2xf32>, %i: tensor<1xi64>, %u: tensor<2xf32>) {
  // expected-error@+1 {{indices of shape 1 and updates of shape 2 along axis 0 do not fit data of shape 2 [SCATTER-1]}}
  %0 = nn.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "none"} : (tensor<2xf32>, tensor<1xi64>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scatter_2(%x: tensor<2xi1>, %i: tensor<1xi64>, %u: tensor<1xi1>) {
  // expected-error@+1 {{cannot update elements of type bool by bool with reduction add [SCATTER-2]}}
  %0 = nn.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "add"} : (tensor<2xi1>, tensor<1xi64>, tensor<1xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @scatter_kind(%x: tensor<2xf32>, %i: tensor<1xi64>, %u: tensor<1xf32>) {
  // expected-error@+1 {{one of none, add, mul, min, max}}
  %0 = nn.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "sub"} : (tensor<2xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @scatternd_1(%x: tensor<2x3xf32>, %i: tensor<1x1xi64>, %u: tensor<1x2xf32>) {
  // expected-error@+1 {{indices of shape 1x1 and updates of shape 1x2 do not fit data of shape 2x3 [SCATTERND-1]}}
  %0 = nn.scatter_nd %x, %i, %u {reduction = "none"} : (tensor<2x3xf32>, tensor<1x1xi64>, tensor<1x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @onehot_1(%i: tensor<2xi64>, %v: tensor<2xf32>) {
  // expected-error@+1 {{depth 0 at axis 0 is no new dimension of 2 [ONEHOT-1]}}
  %0 = nn.one_hot %i, %v {depth = 0 : i64, axis = 0 : i64} : (tensor<2xi64>, tensor<2xf32>) -> tensor<0x2xf32>
  return
}

// -----

func.func @onehot_2(%i: tensor<2xi64>, %v: tensor<3xf32>) {
  // expected-error@+1 {{values of type float32[3] must be two plain numbers, for indices of type int64 [ONEHOT-2]}}
  %0 = nn.one_hot %i, %v {depth = 2 : i64, axis = 0 : i64} : (tensor<2xi64>, tensor<3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @trilu_1(%x: tensor<3xf32>) {
  // expected-error@+1 {{no triangle of float32[3]: matrices of plain numbers are needed [TRILU-1]}}
  %0 = nn.trilu %x {k = 0 : i64, upper = true} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cumsum_1(%x: tensor<3xi1>) {
  // expected-error@+1 {{no running sum of bool[3] along axis 0 [CUMSUM-1]}}
  %0 = nn.cum_sum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @resize_1(%x: tensor<2xf32>) {
  // expected-error@+1 {{axes [1] must be 1 to 3 dimensions of 2 in ascending order, each with a size, sources and weights [RESIZE-1]}}
  %0 = nn.resize %x {axes = array<i64: 1>, sizes = array<i64: 1>, sources = [array<i64: 0>], weights = [array<i64: 8388608>]} : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @resize_2(%x: tensor<2xf32>) {
  // expected-error@+1 {{1 sources and 2 weights do not take 1 sums from dimension 0 of size 2 [RESIZE-2]}}
  %0 = nn.resize %x {axes = array<i64: 0>, sizes = array<i64: 1>, sources = [array<i64: 0>], weights = [array<i64: 4194304, 4194304>]} : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @resize_3(%x: tensor<2xi64>) {
  // expected-error@+1 {{no weighted sum of elements of type int64 [RESIZE-3]}}
  %0 = nn.resize %x {axes = array<i64: 0>, sizes = array<i64: 1>, sources = [array<i64: 0>], weights = [array<i64: 8388608>]} : (tensor<2xi64>) -> tensor<1xi64>
  return
}

// -----

// 16777217 = 2^24 + 1 is no fp32 number.
func.func @resize_4(%x: tensor<2xf32>) {
  // expected-error@+1 {{the weights of dimension 0 are too large [RESIZE-4]}}
  %0 = nn.resize %x {axes = array<i64: 0>, sizes = array<i64: 1>, sources = [array<i64: 0>], weights = [array<i64: 16777217>]} : (tensor<2xf32>) -> tensor<1xf32>
  return
}
