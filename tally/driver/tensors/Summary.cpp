//===- Summary.cpp - a tensor in a few lines ------------------------------===//

#include "tally/driver/tensors/Summary.h"
#include "tally/driver/tensors/Comparison.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tally;
namespace json = llvm::json;

std::string tally::shapeText(const eval::Shape &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t dim : shape)
    text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text;
}

std::string tally::typeText(const runtime::TensorInterface &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << eval::name(tensor.element) << " " << shapeText(tensor.shape);
  if (!tensor.quant)
    return text;
  if (tensor.quant->perTensor())
    os << llvm::format(" codes, scale %.9g", tensor.quant->scale())
       << ", zero point " << tensor.quant->zeroPoint();
  else
    os << " codes, " << tensor.quant->scales.size() << " scales along axis "
       << tensor.quant->axis;
  return text;
}

static bool isVector(const eval::Tensor &tensor) {
  return tensor.rank() > 0 && tensor.shape.back() == tensor.count();
}

/// NaN counts as the least.
static std::vector<int64_t> topPositions(const eval::Tensor &tensor,
                                         int64_t count) {
  std::vector<int64_t> order(tensor.count());
  std::iota(order.begin(), order.end(), 0);
  auto greater = [&](int64_t a, int64_t b) {
    double x = elementNumber(tensor, a), y = elementNumber(tensor, b);
    if (std::isnan(x) || std::isnan(y))
      return !std::isnan(x) || (std::isnan(y) && a < b);
    return x > y || (x == y && a < b);
  };
  std::partial_sort(order.begin(), order.begin() + count, order.end(), greater);
  order.resize(count);
  return order;
}

TensorSummary tally::summarize(const eval::Tensor &tensor) {
  constexpr int64_t kFirst = 8, kTop = 5;
  TensorSummary summary;
  bool any = false;
  for (int64_t i = 0, e = tensor.count(); i < e; ++i) {
    double value = elementNumber(tensor, i);
    if (i < kFirst)
      summary.first.push_back(value);
    if (std::isnan(value)) {
      ++summary.nans;
      continue;
    }
    summary.min = any ? std::min(summary.min, value) : value;
    summary.max = any ? std::max(summary.max, value) : value;
    any = true;
  }
  if (isVector(tensor) && tensor.count() > kTop)
    summary.top = topPositions(tensor, kTop);
  return summary;
}

void tally::printSummary(llvm::raw_ostream &os,
                         const runtime::TensorInterface &interface,
                         const eval::Tensor &tensor) {
  TensorSummary summary = summarize(tensor);
  os << interface.name << ": " << typeText(interface) << "\n";
  os << llvm::format("  min %.6g, max %.6g", summary.min, summary.max);
  if (summary.nans)
    os << ", " << summary.nans << " NaN";
  os << "\n  first:";
  for (double value : summary.first)
    os << llvm::format(" %.6g", value);
  os << (tensor.count() > static_cast<int64_t>(summary.first.size()) ? " ...\n"
                                                                     : "\n");
  if (summary.top.empty())
    return;
  os << "  greatest:";
  for (int64_t position : summary.top)
    os << llvm::format(" [%lld] %.6g", static_cast<long long>(position),
                       elementNumber(tensor, position));
  os << "\n";
}

/// JSON has no NaN and no infinity: they become strings.
static void writeNumber(json::OStream &os, double value) {
  if (std::isfinite(value))
    os.value(value);
  else
    os.value(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

void tally::writeSummary(json::OStream &os,
                         const runtime::TensorInterface &interface,
                         const eval::Tensor &tensor) {
  TensorSummary summary = summarize(tensor);
  os.attribute("name", json::fixUTF8(interface.name));
  os.attribute("type", eval::name(interface.element));
  os.attributeArray("shape", [&] {
    for (int64_t dim : interface.shape)
      os.value(dim);
  });
  os.attributeBegin("min");
  writeNumber(os, summary.min);
  os.attributeEnd();
  os.attributeBegin("max");
  writeNumber(os, summary.max);
  os.attributeEnd();
  os.attribute("nans", summary.nans);
  os.attributeArray("first", [&] {
    for (double value : summary.first)
      writeNumber(os, value);
  });
  os.attributeArray("top", [&] {
    for (int64_t position : summary.top)
      os.value(position);
  });
}
