// RUN: tally-check %s --executor=eval,cpu

func.func @rows(%x: tensor<2x3xi32>) -> tensor<2x3xi32> attributes {
    inputs = [dense<[[1, 2, 3], [10, 20, 30]]> : tensor<2x3xi32>],
    expected = [dense<[[1, 3, 6], [10, 30, 60]]> : tensor<2x3xi32>]} {
  %0 = nn.cum_sum %x {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// Down the columns from the last row, without the element itself.
func.func @exclusive_reverse(%x: tensor<3x2xi8>) -> tensor<3x2xi8> attributes {
    inputs = [dense<[[1, 2], [3, 4], [100, 100]]> : tensor<3x2xi8>],
    expected = [dense<[[103, 104], [100, 100], [0, 0]]> : tensor<3x2xi8>]} {
  %0 = nn.cum_sum %x {axis = 0 : i64, exclusive = true, reverse = true} : (tensor<3x2xi8>) -> tensor<3x2xi8>
  return %0 : tensor<3x2xi8>
}

// 2^24 + 1 is a tie and stays 2^24, from the other end 1 + 1 + 2^24 is exact;
// the first element is not added to +0, so -0 stays.
func.func @order(%x: tensor<3xf32>, %z: tensor<1xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<1xf32>) attributes {
    inputs = [dense<[16777216.0, 1.0, 1.0]> : tensor<3xf32>, dense<[-0.0]> : tensor<1xf32>],
    expected = [dense<[16777216.0, 16777216.0, 16777216.0]> : tensor<3xf32>,
                dense<[16777218.0, 2.0, 1.0]> : tensor<3xf32>, dense<[-0.0]> : tensor<1xf32>]} {
  %0 = nn.cum_sum %x {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<3xf32>) -> tensor<3xf32>
  %1 = nn.cum_sum %x {axis = 0 : i64, exclusive = false, reverse = true} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = nn.cum_sum %z {axis = 0 : i64, exclusive = false, reverse = false} : (tensor<1xf32>) -> tensor<1xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<1xf32>
}
