// RUN: tally-check %s

// Reductions of no elements: the extremes are the ends of the range, a sum is
// 0, a product 1, and a mean 0 / 0.
func.func @nothing(%x: tensor<1x0xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) attributes {
    inputs = [dense<> : tensor<1x0xf32>],
    expected = [dense<[0xFF800000]> : tensor<1xf32>, dense<[0x7F800000]> : tensor<1xf32>,
                dense<[0.0]> : tensor<1xf32>, dense<[1.0]> : tensor<1xf32>, dense<[0x7FC00000]> : tensor<1xf32>]} {
  %0 = nn.reduce_max %x {axes = array<i64: 1>, keepdims = false} : (tensor<1x0xf32>) -> tensor<1xf32>
  %1 = nn.reduce_min %x {axes = array<i64: 1>, keepdims = false} : (tensor<1x0xf32>) -> tensor<1xf32>
  %2 = nn.reduce_sum %x {axes = array<i64: 1>, keepdims = false} : (tensor<1x0xf32>) -> tensor<1xf32>
  %3 = nn.reduce_prod %x {axes = array<i64: 1>, keepdims = false} : (tensor<1x0xf32>) -> tensor<1xf32>
  %4 = nn.reduce_mean %x {axes = array<i64: 1>, keepdims = false} : (tensor<1x0xf32>) -> tensor<1xf32>
  return %0, %1, %2, %3, %4 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}
