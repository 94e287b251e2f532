//===- Differences.cpp - a run against a reference: sums ------------------===//

#include "tally/report/Differences.h"

using namespace tally::report;

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
    for (const DifferentElement &element : tensor.elements)
      if (element.rule)
        ++counts[*element.rule];
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
