//===- Buffers.cpp - the memory that a call is given ----------------------===//
//
// Ranges in the order of their beginnings: one overlaps an earlier one exactly
// when it begins before the furthest end so far. Two furthest ends are kept, of
// all ranges for those that are written, and of those that are written for the
// others. n log n for n buffers, which are few.
//
//===----------------------------------------------------------------------===//

#include "tally/runtime/Buffers.h"

#include <algorithm>

using namespace tally;
using namespace tally::runtime;

static tally::Diagnostic wrong(std::string rule, std::string message) {
  tally::Diagnostic failure;
  failure.kind = FailureKind::Usage;
  failure.rule = std::move(rule);
  failure.message = std::move(message);
  return failure;
}

BufferCheck::BufferCheck(const Interface &interface) : interface(interface) {
  ranges.reserve(interface.inputs.size() + interface.outputs.size() + 2);
}

std::string BufferCheck::Range::str() const {
  return tensor ? std::string(what) + " '" + tensor->name + "'" : what;
}

void BufferCheck::reserve(const char *what, const void *begin, int64_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(begin);
  if (bytes > 0)
    own.push_back({address, address + bytes, true, what, nullptr});
}

Status BufferCheck::add(const TensorInterface &tensor, const void *begin,
                        bool isWritten) {
  auto address = reinterpret_cast<uintptr_t>(begin);
  Range range{address, address + tensor.byteCount(), isWritten,
              isWritten ? "output" : "input", &tensor};
  int64_t alignment = eval::byteSize(tensor.element);
  if (address % alignment)
    return wrong("RUN-17", "the buffer of " + range.str() +
                               " is not aligned to " +
                               std::to_string(alignment) + " bytes");
  if (range.begin != range.end)
    ranges.push_back(range);
  return Status::success();
}

Status BufferCheck::overlap(const Range &a, const Range &b) {
  return wrong("RUN-18",
               "the memory of " + b.str() + " overlaps that of " + a.str());
}

Status BufferCheck::checkOverlaps() {
  std::ranges::sort(ranges, {}, &Range::begin);
  const Range *furthest = nullptr, *furthestWritten = nullptr;
  auto keep = [](const Range *&kept, const Range &range) {
    if (!kept || kept->end < range.end)
      kept = &range;
  };
  for (const Range &range : ranges) {
    const Range *before = range.isWritten ? furthest : furthestWritten;
    if (before && range.begin < before->end)
      return overlap(*before, range);
    keep(furthest, range);
    if (range.isWritten)
      keep(furthestWritten, range);
  }
  return Status::success();
}

Status BufferCheck::check(const void *const *inputs, void *const *outputs) {
  ranges.assign(own.begin(), own.end());
  for (size_t i = 0; i < interface.inputs.size(); ++i)
    if (Status status = add(interface.inputs[i], inputs[i], false); !status)
      return status;
  for (size_t i = 0; i < interface.outputs.size(); ++i)
    if (Status status = add(interface.outputs[i], outputs[i], true); !status)
      return status;
  return checkOverlaps();
}
