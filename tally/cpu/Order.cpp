//===- Order.cpp - the order of a tensor's elements in memory -------------===//

#include "tally/cpu/Order.h"

#include <algorithm>
#include <numeric>

using namespace tally;
using namespace tally::cpu;

bool tally::cpu::hasOrders(const eval::Shape &shape) {
  return shape.size() >= 3 && shape[1] > 1 &&
         eval::elementCount(std::span(shape).subspan(2)) > 1;
}

bool tally::cpu::keepsChannels(const eval::Shape &from, const eval::Shape &to) {
  return hasOrders(from) && hasOrders(to) && from[0] == to[0] &&
         from[1] == to[1];
}

std::vector<size_t> tally::cpu::outermostFirst(Order order, size_t rank) {
  std::vector<size_t> dims(rank);
  std::iota(dims.begin(), dims.end(), size_t(0));
  if (order == Order::ChannelsLast)
    std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  return dims;
}

eval::Shape tally::cpu::stridesIn(Order order, const eval::Shape &shape) {
  std::vector<size_t> dims = outermostFirst(order, shape.size());
  eval::Shape strides(shape.size());
  int64_t stride = 1;
  for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
    strides[*d] = stride;
    stride *= shape[*d];
  }
  return strides;
}
