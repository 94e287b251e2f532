// What quantize reports, by the model's own names.
// RUN: tally-opt %s --nn-quantize --remark-format=emitRemark --remarks-filter=quantize -o /dev/null 2>&1 | FileCheck %s
// Another category's filter shows none of it.
// RUN: tally-opt %s --nn-quantize --remark-format=emitRemark --remarks-filter=other -o /dev/null 2>&1 | count 0

!x = !quant.uniform<i8:f32, 5.000000e-01:3>
!y = !quant.uniform<i8:f32, 1.000000e+00:-5>

// Every remark stands on one line: code, category, arguments.
// CHECK: remark: [Passed] QDQ-1 | Category:quantize | Function=main
// CHECK-SAME: Edge=codes, Node=twice
func.func @group(%x: tensor<4x!x>) -> tensor<4x!y> {
  %0 = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.add %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc(#twice)
  %2 = nn.quantize %1 : (tensor<4xf32>) -> tensor<4x!y> loc(#codes)
  return %2 : tensor<4x!y>
}

// An operand that is no codes decides, and is named.
// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Edge=wild, Node=mixed
// CHECK-SAME: Reason="operand 1 ('wild') is not dequantized right before the node"
// CHECK-SAME: Suggestion="put a Quantize and a Dequantize between the two"
func.func @float_operand(%x: tensor<4x!x>,
                         %f: tensor<4xf32> {nn.name = "wild"}) -> tensor<4x!y> {
  %0 = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.add %0, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc(#mixed)
  %2 = nn.quantize %1 : (tensor<4xf32>) -> tensor<4x!y>
  return %2 : tensor<4x!y>
}

// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Edge=weight, Node=weighted
// CHECK-SAME: Reason="operand 1 ('weight') is a float constant"
// CHECK-SAME: Suggestion="give it a Quantize and a Dequantize"
func.func @float_constant(%x: tensor<2x2x!x>) -> tensor<2x2x!y> {
  %w = nn.constant dense<[[0.1, 0.2], [0.3, 0.4]]> : tensor<2x2xf32> : tensor<2x2xf32> loc(#weight)
  %0 = nn.dequantize %x : (tensor<2x2x!x>) -> tensor<2x2xf32>
  %1 = nn.matmul %0, %w : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc(#weighted)
  %2 = nn.quantize %1 : (tensor<2x2xf32>) -> tensor<2x2x!y>
  return %2 : tensor<2x2x!y>
}

// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Edge=sum, Node=open
// CHECK-SAME: Reason="its result is read as floats: no Quantize follows directly"
// CHECK-SAME: Suggestion="put a Quantize and a Dequantize after it"
func.func @read_as_floats(%x: tensor<4x!x>) -> tensor<4xf32> {
  %0 = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.add %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc(#open)
  return %1 : tensor<4xf32>
}

// An operator without an integer meaning: no tensor decides.
// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Function=main | Node=soft
// CHECK-SAME: Reason="the operator mixes codes non-linearly
// CHECK-SAME: Suggestion="QLinearSoftmax (com.microsoft) computes on codes"
func.func @softmax(%x: tensor<4x!x>) -> tensor<4x!y> {
  %0 = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.softmax %0 {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32> loc(#soft)
  %2 = nn.quantize %1 : (tensor<4xf32>) -> tensor<4x!y>
  return %2 : tensor<4x!y>
}

// Nothing else was decided.
// CHECK-NOT: remark:

#twice = loc(fused<{node = "twice", op = "Add", outputs = ["sum"]}>["m":1:1])
#codes = loc(fused<{node = "q", op = "QuantizeLinear", outputs = ["codes"]}>["m":2:1])
#mixed = loc(fused<{node = "mixed", op = "Add", outputs = ["s"]}>["m":3:1])
#weight = loc(fused<{node = "weight", op = "", outputs = ["weight"]}>["m":4:1])
#weighted = loc(fused<{node = "weighted", op = "MatMul", outputs = ["p"]}>["m":5:1])
#open = loc(fused<{node = "open", op = "Add", outputs = ["sum"]}>["m":6:1])
#soft = loc(fused<{node = "soft", op = "Softmax", outputs = ["s"]}>["m":7:1])

// Arithmetic with an infinity has no exact result.
// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Node=endless
// CHECK-SAME: Reason="operand 2 has an infinity or a NaN, which no code stands for"
// CHECK-SAME: Suggestion="make it finite"
func.func @infinite_bias(%x: tensor<1x1x!x>, %w: tensor<1x1x!x>) -> tensor<1x1x!y> {
  %0 = nn.dequantize %x : (tensor<1x1x!x>) -> tensor<1x1xf32>
  %1 = nn.dequantize %w : (tensor<1x1x!x>) -> tensor<1x1xf32>
  %c = nn.constant dense<0x7F800000> : tensor<1xf32> : tensor<1xf32>
  %2 = nn.gemm %0, %1, %c {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32> loc(#endless)
  %3 = nn.quantize %2 : (tensor<1x1xf32>) -> tensor<1x1x!y>
  return %3 : tensor<1x1x!y>
}
#endless = loc(fused<{node = "endless", op = "Gemm", outputs = ["e"]}>["m":8:1])

// A real bias may stand in a group, but not behind a movement: what folding
// has made of it since then does not count.
// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Edge=flat, Node=biased
// CHECK-SAME: Reason="operand 2 ('flat') is a float constant moved by Reshape, and a group reads only constants as they are"
// CHECK-SAME: Suggestion="store the constant as the node reads it"
func.func @moved_constant(%x: tensor<1x1x!x>, %w: tensor<1x1x!x>) -> tensor<1x1x!y> {
  %0 = nn.dequantize %x : (tensor<1x1x!x>) -> tensor<1x1xf32>
  %1 = nn.dequantize %w : (tensor<1x1x!x>) -> tensor<1x1xf32>
  %c = nn.constant dense<2.0> : tensor<1x1xf32> : tensor<1x1xf32> loc(#bias)
  %b = nn.reshape %c {shape = array<i64: 1>} : (tensor<1x1xf32>) -> tensor<1xf32> loc(#flat)
  %2 = nn.gemm %0, %1, %b {alpha = 1.0 : f32, beta = 1.0 : f32, transA = false, transB = false} : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32> loc(#biased)
  %3 = nn.quantize %2 : (tensor<1x1xf32>) -> tensor<1x1x!y>
  return %3 : tensor<1x1x!y>
}
#bias = loc(fused<{node = "bias", op = "Constant", outputs = ["bias"]}>["m":9:1])
#flat = loc(fused<{node = "r", op = "Reshape", outputs = ["flat"]}>["m":10:1])
#biased = loc(fused<{node = "biased", op = "Gemm", outputs = ["g"]}>["m":11:1])

// The same when folding would enlarge the constant and leaves it.
// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Edge=wide, Node=offset
// CHECK-SAME: Reason="operand 1 ('wide') is a float constant moved by Expand, and a group reads only constants as they are"
func.func @expanded_constant(%x: tensor<64x!x>) -> tensor<64x!y> {
  %0 = nn.dequantize %x : (tensor<64x!x>) -> tensor<64xf32>
  %c = nn.constant dense<2.0> : tensor<1xf32> : tensor<1xf32> loc(#bias)
  %b = nn.expand %c {shape = array<i64: 64>} : (tensor<1xf32>) -> tensor<64xf32> loc(#wide)
  %1 = nn.add %0, %b : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> loc(#offset)
  %2 = nn.quantize %1 : (tensor<64xf32>) -> tensor<64x!y>
  return %2 : tensor<64x!y>
}
#wide = loc(fused<{node = "e", op = "Expand", outputs = ["wide"]}>["m":12:1])
#offset = loc(fused<{node = "offset", op = "Add", outputs = ["o"]}>["m":13:1])

// Weights with a scale per block: a Quantize behind the node would not help.
// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Edge=blocks, Node=large
// CHECK-SAME: Reason="operand 1 ('blocks') has a scale for each block of 2 elements: block-wise codes are computed as floats"
// CHECK-SAME: Suggestion="quantize it per tensor or per output channel"
func.func @blocks(%x: tensor<1x4xf32>, %w: tensor<4x1xi8>, %s: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %0 = nn.dequantize_runtime %w, %s {axis = 0 : i64, blockSize = 2 : i64} : (tensor<4x1xi8>, tensor<2x1xf32>) -> tensor<4x1xf32> loc(#blocks)
  %1 = nn.matmul %x, %0 : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32> loc(#large)
  return %1 : tensor<1x1xf32>
}
#blocks = loc(fused<{node = "d", op = "DequantizeLinear", outputs = ["blocks"]}>["m":14:1])
#large = loc(fused<{node = "large", op = "MatMul", outputs = ["l"]}>["m":15:1])

// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Edge=late, Node=scaled
// CHECK-SAME: Reason="operand 1 ('late') has a scale that is computed when run"
func.func @computed_scale(%x: tensor<1x4xf32>, %w: tensor<4x1xi8>, %s: tensor<f32>) -> tensor<1x1xf32> {
  %0 = nn.dequantize_runtime %w, %s {axis = 0 : i64} : (tensor<4x1xi8>, tensor<f32>) -> tensor<4x1xf32> loc(#late)
  %1 = nn.matmul %x, %0 : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32> loc(#scaled)
  return %1 : tensor<1x1xf32>
}
#late = loc(fused<{node = "d", op = "DequantizeLinear", outputs = ["late"]}>["m":16:1])
#scaled = loc(fused<{node = "scaled", op = "MatMul", outputs = ["l"]}>["m":17:1])

// Division by a constant is linear, and yet no operator on codes.
// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Node=share
// CHECK-SAME: Reason="division has no meaning on codes"
// CHECK-SAME: Suggestion="multiply by the reciprocal, quantized: Mul computes on codes"
func.func @by_constant(%x: tensor<4x!x>) -> tensor<4x!y> {
  %c = nn.constant dense<8.0> : tensor<4xf32> : tensor<4xf32>
  %0 = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.div %0, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc(#share)
  %2 = nn.quantize %1 : (tensor<4xf32>) -> tensor<4x!y>
  return %2 : tensor<4x!y>
}
// CHECK: remark: [Missed] QDQ-2
// CHECK-SAME: Node=ratio
// CHECK-SAME: Suggestion="multiply by a quantized Reciprocal: both compute on codes"
func.func @by_tensor(%x: tensor<4x!x>) -> tensor<4x!y> {
  %0 = nn.dequantize %x : (tensor<4x!x>) -> tensor<4xf32>
  %1 = nn.div %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc(#ratio)
  %2 = nn.quantize %1 : (tensor<4xf32>) -> tensor<4x!y>
  return %2 : tensor<4x!y>
}
#share = loc(fused<{node = "share", op = "Div", outputs = ["s"]}>["m":18:1])
#ratio = loc(fused<{node = "ratio", op = "Div", outputs = ["s"]}>["m":19:1])
