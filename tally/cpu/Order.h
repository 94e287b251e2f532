//===- Order.h - the order of a tensor's elements in memory -----*- C++ -*-===//
//
// A tensor [N, C, D1 .. Dn] may lie in memory as [N][D1] .. [Dn][C], dense:
// channels last. Its shape stays what it is, and so does every index; only the
// strides change. What the caller sees (inputs, outputs, states) and constants
// are in plain order, row-major. Layouts.h chooses.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_ORDER_H
#define TALLY_CPU_ORDER_H

#include "tally/eval/Tensor.h"

namespace tally::cpu {

enum class Order { Plain, ChannelsLast };

/// What an operation's kernel can take and give, see CpuLowering::orders.
enum class Orders {
  Plain,        ///< plain order alone
  Either,       ///< its result and all operands in one of the two
  ChannelsLast, ///< the same, and it is better off channels last
};

/// Whether the two orders of a shape differ: rank 3 or more, several channels
/// and several pixels.
bool hasOrders(const eval::Shape &shape);

/// Whether a reshape leaves images and channels as they are, so that it keeps
/// every byte in its place in either order.
bool keepsChannels(const eval::Shape &from, const eval::Shape &to);

/// Distance in memory of neighbours along each dimension, in elements.
eval::Shape stridesIn(Order order, const eval::Shape &shape);

/// The dimensions from the one with the largest stride to the one with the
/// smallest: 0, 2, 3, 1 of a channels-last image.
std::vector<size_t> outermostFirst(Order order, size_t rank);

} // namespace tally::cpu

#endif // TALLY_CPU_ORDER_H
