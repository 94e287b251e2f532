//===- Coverage.cpp - what random graphs reached --------------------------===//

#include "tally/fuzz/Coverage.h"
#include "tally/ops/Inference.h"
#include "tally/ops/Lookup.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"
#include "tally/rewrite/Remarks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tally;
using namespace tally::fuzz;

static constexpr const char *kTopicNames[kTopics] = {
    "operators", "element types", "grids",   "decisions",
    "anchors",   "stages",        "refusals"};

int64_t Coverage::of(Topic topic, const std::string &name) const {
  auto &names = counts[static_cast<int>(topic)];
  auto found = names.find(name);
  return found == names.end() ? 0 : found->second;
}

int64_t Coverage::total(Topic topic) const {
  int64_t sum = 0;
  for (const auto &[name, times] : counts[static_cast<int>(topic)])
    sum += times;
  return sum;
}

void Coverage::add(const Coverage &other) {
  for (int topic = 0; topic < kTopics; ++topic)
    for (const auto &[name, times] : other.counts[topic])
      counts[topic][name] += times;
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

static std::string elementName(Type element) {
  auto codes = dyn_cast<nn::QuantizedType>(element);
  if (!codes)
    return nn::typeText(element);
  return std::string(codes.isSigned() ? "i" : "u") +
         std::to_string(codes.getStorageTypeIntegralWidth()) + " codes";
}

static const char *gridName(nn::QuantizedType type) {
  eval::Quantization grid = nn::gridOf(type);
  if (!grid.perTensor())
    return "per axis";
  int64_t zero = grid.zeroPoints[0];
  return zero == grid.qmin   ? "zero point at the minimum"
         : zero == grid.qmax ? "zero point at the maximum"
         : zero == 0         ? "zero point 0"
         : zero % 2          ? "zero point odd"
                             : "zero point even";
}

void Coverage::countImported(func::FuncOp function) {
  auto countTensor = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    count(Topic::Element, elementName(element));
    if (auto codes = dyn_cast<nn::QuantizedType>(element))
      count(Topic::Grid, gridName(codes));
    if (cast<RankedTensorType>(type).getNumElements() == 0)
      count(Topic::Element, "(no elements)");
  };
  for (Type type : function.getArgumentTypes())
    countTensor(type);
  for (Operation &op : function.getBody().front().without_terminator()) {
    count(Topic::Operator, op.getName().stripDialect().str());
    for (Type type : op.getResultTypes())
      countTensor(type);
  }
}

void Coverage::countRewritten(func::FuncOp function) {
  function.walk(
      [&](nn::RequantizeOp) { count(Topic::Operator, "requantize"); });
  function.walk([&](nn::LookupOp) { count(Topic::Operator, "lookup"); });
  function.walk([&](nn::FusedOp fused) {
    count(Topic::Operator, "fused");
    count(Topic::Operator, "yield");
    SmallVector<Operation *> chain = fused.chain();
    count(Topic::Anchor, chain[0]->getName().stripDialect().str());
    for (Operation *stage : ArrayRef(chain).drop_front())
      count(Topic::Stage, stage->getName().stripDialect().str());
  });
}

//===----------------------------------------------------------------------===//
// What was reached
//===----------------------------------------------------------------------===//

static bool isOfStates(StringRef name) {
  return llvm::is_contained(
      {nn::StateOp::getOperationName(), nn::StateReadOp::getOperationName(),
       nn::StateWriteOp::getOperationName(), nn::ShiftInOp::getOperationName()},
      name);
}

std::vector<std::string> Coverage::missing(MLIRContext &context) const {
  std::vector<std::string> result;
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    // Random graphs are single calls: nothing outlives them (ops/State.td).
    if (op.getDialectNamespace() != "nn" || isOfStates(op.getStringRef()))
      continue;
    std::string name = op.stripDialect().str();
    if (!of(Topic::Operator, name))
      result.push_back("operator " + name);
  }
  return result;
}

void Coverage::print(llvm::raw_ostream &os) const {
  for (int topic = 0; topic < kTopics; ++topic) {
    if (counts[topic].empty())
      continue;
    os << kTopicNames[topic] << ":\n";
    for (const auto &[name, times] : counts[topic])
      os << llvm::format("%9lld  ", static_cast<long long>(times)) << name
         << "\n";
  }
}

std::string Coverage::lines() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int topic = 0; topic < kTopics; ++topic)
    for (const auto &[name, times] : counts[topic])
      os << topic << "\t" << times << "\t" << name << "\n";
  return text;
}

void Coverage::addLine(StringRef line) {
  auto [topic, rest] = line.split('\t');
  auto [times, name] = rest.split('\t');
  int index = 0;
  int64_t number = 0;
  if (!topic.getAsInteger(10, index) && !times.getAsInteger(10, number) &&
      index < kTopics)
    count(static_cast<Topic>(index), name.str(), number);
}
