//===- Steps.cpp - several runs, one after the other ----------------------===//

#include "tally/driver/Steps.h"

#include <algorithm>

using namespace tally;

static constexpr int64_t kMaxSteps = 1'000'000'000;

Result<std::optional<int64_t>> tally::parseSteps(const Arguments &arguments) {
  auto steps = arguments.number(option::steps);
  if (!steps)
    return steps.takeError();
  if (!*steps)
    return std::optional<int64_t>();
  if (**steps < 1 || **steps > uint64_t(kMaxSteps))
    return usageError("CLI-3", "--steps takes a number from 1 to " +
                                   std::to_string(kMaxSteps));
  return std::optional<int64_t>(int64_t(**steps));
}

eval::Tensor tally::stackSteps(const std::vector<eval::Tensor> &steps) {
  eval::Tensor result = steps.front();
  result.shape.insert(result.shape.begin(), static_cast<int64_t>(steps.size()));
  if (result.quant && !result.quant->perTensor())
    ++result.quant->axis;
  result.allocate();
  std::byte *to = result.storage.get();
  for (const eval::Tensor &tensor : steps)
    to = std::copy_n(tensor.storage.get(), tensor.byteCount(), to);
  return result;
}
