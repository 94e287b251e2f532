// RUN: tally-opt %s --nn-fuse=ideal-rounding=false --remark-format=emitRemark --remarks-filter=fusion -verify-diagnostics

// Where a profile decides how results round, rounding twice is not once.

!a = !quant.uniform<i8:f32, 0.5>
!b = !quant.uniform<i8:f32, 2.5>

func.func @main(%x: tensor<2x2x!a>) -> tensor<2x2x!b> {
  // expected-remark @+2 {{FUSE-1 }}
  // expected-remark @+1 {{the second scale is 5 times the first, but the numerics profile rounds otherwise}}
  %0 = nn.matmul %x, %x : (tensor<2x2x!a>, tensor<2x2x!a>) -> tensor<2x2x!a>
  %1 = nn.requantize %0 : (tensor<2x2x!a>) -> tensor<2x2x!b>
  return %1 : tensor<2x2x!b>
}
