// RUN: tally-opt %s --nn-fuse="max-table-bytes=65536 table-budget=65792 target-lacks=nn.erf,nn.average_pool" --remark-format=emitRemark --remarks-filter=fusion -verify-diagnostics

// Each verdict on an edge. A remark that is not expected fails the test, and so
// does an expected one that does not come.

!x = !quant.uniform<i8:f32, 0.5>
!y = !quant.uniform<i8:f32, 0.7:3>
!wide = !quant.uniform<i16:f32, 0.01>
!other = !quant.uniform<i16:f32, 0.03:5>
!axis = !quant.uniform<i8:f32:1, {0.5, 0.25}>

func.func @fused(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark @+1 {{FUSE-1 }}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.relu %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

func.func @several_readers(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // expected-remark-re @+1 {{FUSE-2 {{.*}}'nn.softmax' reads it, too}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.relu %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.softmax %0 {axis = 1 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>
}

// Both readers are stages: each edge has its verdict.
func.func @two_stages(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // expected-remark @+2 {{'nn.tanh' reads it, too}}
  // expected-remark @+1 {{'nn.relu' reads it, too}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.relu %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.tanh %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>
}

// The second reader reads the value behind a view.
func.func @reader_of_a_view(%a: tensor<2x2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark @+1 {{'nn.softmax' reads it, too}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.reshape %0 {shape = array<i64: 4>} : (tensor<2x2xf32>) -> tensor<4xf32>
  %2 = nn.relu %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.softmax %1 {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

func.func @graph_output(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // expected-remark @+1 {{it is an output of the graph}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.relu %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}

// The stages before the output are fused all the same.
func.func @output_after_a_stage(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{FUSE-3 }}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.relu %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.tanh %1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>
}

func.func @view_reorders(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark-re @+1 {{FUSE-4 {{.*}}'nn.transpose' (nn.transpose) moves or resizes elements between the two}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.relu %1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

func.func @view_resizes(%a: tensor<2x2xf32>) -> tensor<1x2xf32> {
  // expected-remark @+1 {{'nn.slice' (nn.slice) moves or resizes elements between the two}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.slice %0 {sizes = array<i64: 1, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %2 = nn.relu %1 : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// x * tanh(x / |x|): the product of elements waits for the value it would be
// fused with. The normalization is no stage, and its own edge no candidate.
func.func @cycle(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark @+1 {{another operand of 'nn.mul' is computed from the value, through 'nn.lp_normalization'", Suggestion="nothing to do: 'nn.mul' can only follow its other operand"}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.lp_normalization %0 {axis = 1 : i64, p = 2 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.tanh %1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = nn.mul %0, %2 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// x * tanh(x) has a function of its own to be written as.
func.func @cycle_of_stages(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark @+2 {{'nn.mul' reads it, too}}
  // expected-remark @+1 {{write 'nn.tanh' and 'nn.mul' as one operator}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.tanh %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.mul %0, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// A second operand from elsewhere makes no cycle.
func.func @no_cycle(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark @+1 {{FUSE-1 }}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.lp_normalization %a {axis = 1 : i64, p = 2 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.mul %0, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

func.func @reads_twice(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark-re @+1 {{FUSE-12 {{.*}}'nn.mul' reads the value 2 times}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.mul %0, %0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// Once as it is and once through a view: the edge through the view and the
// direct one are both seen.
func.func @reads_a_view_too(%a: tensor<1x1xf32>) -> tensor<1x1xf32> {
  // expected-remark @+2 {{FUSE-5 }}
  // expected-remark @+1 {{'nn.mul' reads the value 2 times}}
  %0 = nn.matmul %a, %a : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %1 = nn.reshape %0 {shape = array<i64: 1>} : (tensor<1x1xf32>) -> tensor<1xf32>
  %2 = nn.mul %1, %0 : (tensor<1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// Quantized per axis, a code's meaning depends on its column.
func.func @grid_per_axis(%a: tensor<2x2xf32>) -> tensor<2x2x!axis> {
  // expected-remark-re @+1 {{FUSE-6 {{.*}}not one grid per tensor of at most 16 bits}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.quantize %0 : (tensor<2x2xf32>) -> tensor<2x2x!axis>
  return %1 : tensor<2x2x!axis>
}

func.func @broadcast(%a: tensor<1x2xf32>, %b: tensor<2x2xf32>, %c: tensor<3x2xf32>) -> tensor<3x2xf32> {
  // expected-remark-re @+1 {{FUSE-7 {{.*}}'nn.add' broadcasts 1x2 to 3x2}}
  %0 = nn.matmul %a, %b : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %1 = nn.add %0, %c : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// 2^16 entries of 2 bytes.
func.func @table(%a: tensor<2x2x!x>) -> tensor<2x2x!wide> {
  // expected-remark-re @+1 {{FUSE-8 {{.*}}the table of 'nn.tanh' has 131072 bytes, 65536 are allowed}}
  %0 = nn.matmul %a, %a : (tensor<2x2x!x>, tensor<2x2x!x>) -> tensor<2x2x!wide>
  %1 = nn.tanh %0 : (tensor<2x2x!wide>) -> tensor<2x2x!wide>
  return %1 : tensor<2x2x!wide>
}

// A clamp of 16-bit codes on one grid is two bounds, on two grids a table.
func.func @clamp_of_wide_codes(%a: tensor<2x2x!x>) -> tensor<2x2x!other> {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{the table of 'nn.relu' has 131072 bytes}}
  %0 = nn.matmul %a, %a : (tensor<2x2x!x>, tensor<2x2x!x>) -> tensor<2x2x!wide>
  %1 = nn.relu %0 : (tensor<2x2x!wide>) -> tensor<2x2x!wide>
  %2 = nn.relu %1 : (tensor<2x2x!wide>) -> tensor<2x2x!other>
  return %2 : tensor<2x2x!other>
}

// One table per slope: 3 * 65536 bytes.
func.func @tables_of_slopes(%a: tensor<2x3x!wide>, %b: tensor<2x3x!wide>) -> tensor<2x3x!x> {
  %s = nn.constant dense<[0.1, 0.2, 0.3]> : tensor<3xf32> : tensor<3xf32>
  // expected-remark @+1 {{the table of 'nn.prelu' has 196608 bytes}}
  %0 = nn.add %a, %b : (tensor<2x3x!wide>, tensor<2x3x!wide>) -> tensor<2x3x!wide>
  %1 = nn.prelu %0, %s : (tensor<2x3x!wide>, tensor<3xf32>) -> tensor<2x3x!x>
  return %1 : tensor<2x3x!x>
}

// Two changes of grid: 2 * 65536 entries of two bytes.
func.func @tables_of_grids(%a: tensor<2x3x!wide>, %b: tensor<2x3x!x>, %c: tensor<2x3x!wide>) -> tensor<2x3x!other> {
  // expected-remark @+1 {{the table of 'nn.max' has 262144 bytes}}
  %0 = nn.add %a, %b : (tensor<2x3x!wide>, tensor<2x3x!x>) -> tensor<2x3x!wide>
  %1 = nn.max %0, %c : (tensor<2x3x!wide>, tensor<2x3x!wide>) -> tensor<2x3x!other>
  return %1 : tensor<2x3x!other>
}

// On one grid there is nothing to look up.
func.func @larger_of_wide_codes(%a: tensor<2x3x!wide>, %b: tensor<2x3x!x>, %c: tensor<2x3x!wide>) -> tensor<2x3x!wide> {
  // expected-remark @+1 {{FUSE-1 }}
  %0 = nn.add %a, %b : (tensor<2x3x!wide>, tensor<2x3x!x>) -> tensor<2x3x!wide>
  %1 = nn.max %0, %c : (tensor<2x3x!wide>, tensor<2x3x!wide>) -> tensor<2x3x!wide>
  return %1 : tensor<2x3x!wide>
}

// 300 slopes of 256 bytes: the codes have 8 bits already.
func.func @many_slopes(%a: tensor<2x300x!x>, %s: tensor<300xf32>) -> tensor<2x300x!x> {
  %slopes = nn.constant dense<0.5> : tensor<300xf32> : tensor<300xf32>
  // expected-remark @+1 {{76800 bytes, 65536 are allowed", Suggestion="raise --max-table-bytes"}}
  %0 = nn.add %a, %a : (tensor<2x300x!x>, tensor<2x300x!x>) -> tensor<2x300x!x>
  %1 = nn.prelu %0, %slopes : (tensor<2x300x!x>, tensor<300xf32>) -> tensor<2x300x!x>
  return %1 : tensor<2x300x!x>
}

// 2^16 entries of one byte, then 2^8 of two: 65536 + 512.
func.func @budget(%a: tensor<2x2x!x>) -> tensor<2x2x!wide> {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark-re @+1 {{FUSE-9 {{.*}}with 'nn.tanh' the chain's tables have 66048 bytes, the budget is 65792}}
  %0 = nn.matmul %a, %a : (tensor<2x2x!x>, tensor<2x2x!x>) -> tensor<2x2x!wide>
  %1 = nn.tanh %0 : (tensor<2x2x!wide>) -> tensor<2x2x!y>
  %2 = nn.tanh %1 : (tensor<2x2x!y>) -> tensor<2x2x!wide>
  return %2 : tensor<2x2x!wide>
}

func.func @target_lacks_the_stage(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark-re @+1 {{FUSE-10 {{.*}}the target cannot run 'nn.erf' in a chain: it has no nn.erf}}
  %0 = nn.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = nn.erf %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

func.func @target_lacks_the_anchor(%x: tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
  // expected-remark @+1 {{the target cannot fuse into 'nn.average_pool': it has no nn.average_pool}}
  %0 = nn.average_pool %x {dilations = array<i64: 1>, kernel = array<i64: 1>, pads = array<i64: 0, 0>, strides = array<i64: 1>} : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  %1 = nn.relu %0 : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  return %1 : tensor<1x1x4xf32>
}

// The first of two products takes the addition of both; the second is read
// from memory.
func.func @other_chain(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark @+1 {{FUSE-1 }}
  %0 = nn.matmul %a, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-remark-re @+1 {{FUSE-11 {{.*}}'nn.add' already follows the chain of its other operand}}
  %1 = nn.matmul %b, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = nn.add %0, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
