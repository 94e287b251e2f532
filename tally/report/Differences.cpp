//===- Differences.cpp - a run against a reference: sums ------------------===//

#include "tally/report/Differences.h"

using namespace tally::report;

bool TensorDifference::countRule(std::optional<Rule> rule) {
  constexpr int64_t kOfTensor = 10, kOfRule = 2;
  if (rule)
    ++explained[*rule];
  return ++seen[rule] <= kOfRule ||
         static_cast<int64_t>(elements.size()) < kOfTensor;
}

int64_t DifferenceReport::differentCodes() const {
  int64_t sum = 0;
  for (const TensorDifference &tensor : tensors)
    sum += tensor.isFloat ? 0 : tensor.different;
  return sum;
}

int64_t DifferenceReport::comparedCodes() const {
  int64_t sum = 0;
  for (const TensorDifference &tensor : tensors)
    sum += tensor.isFloat ? 0 : tensor.count;
  return sum;
}

std::map<Rule, int64_t> DifferenceReport::ruleCounts() const {
  std::map<Rule, int64_t> counts;
  for (const TensorDifference &tensor : tensors)
    for (auto [rule, count] : tensor.explained)
      counts[rule] += count;
  return counts;
}

int64_t DifferenceReport::unexplained() const {
  if (isOtherModel)
    return 0;
  int64_t count = differentCodes();
  for (auto [rule, explained] : ruleCounts())
    count -= explained;
  return count;
}

const TensorDifference *DifferenceReport::first() const {
  for (const TensorDifference &tensor : tensors)
    if (!tensor.isFloat && tensor.different)
      return &tensor;
  return nullptr;
}
