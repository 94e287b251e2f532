//===- QuantizedProduct.cpp - what quantized products share ---------------===//

#include "tally/cpu/lower/QuantizedProduct.h"
#include "tally/graph/Locations.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::cpu;

Interval tally::cpu::allSteps(const eval::Quantization &grid) {
  Interval all = stepRange(grid, 0);
  for (size_t channel = 1; channel < grid.zeroPoints.size(); ++channel) {
    Interval one = stepRange(grid, static_cast<int64_t>(channel));
    all = {std::min(all.lo, one.lo), std::max(all.hi, one.hi)};
  }
  return all;
}

Interval tally::cpu::stepRange(eval::Element element) {
  __int128 low = eval::minValue(element), high = eval::maxValue(element);
  return {low - high, high - low};
}

eval::Element tally::cpu::panelElement(Interval range) {
  if (range.lo >= INT8_MIN && range.hi <= INT8_MAX)
    return eval::Element::I8;
  if (range.lo >= INT16_MIN && range.hi <= INT16_MAX)
    return eval::Element::I16;
  return eval::Element::I32;
}

static ConstantPanel
makePanel(int64_t rows, int64_t k, Interval other,
          llvm::function_ref<int64_t(int64_t, int64_t)> step) {
  std::vector<int64_t> steps(rows * k);
  ConstantPanel panel;
  int64_t least = 0, most = 0;
  for (int64_t row = 0; row < rows; ++row) {
    __int128 positive = 0, negative = 0; // what the row's steps add up to
    for (int64_t i = 0; i < k; ++i) {
      int64_t value = steps[row * k + i] = step(row, i);
      least = std::min(least, value);
      most = std::max(most, value);
      (value < 0 ? negative : positive) += value;
    }
    panel.sums.push_back({positive * other.lo + negative * other.hi,
                          positive * other.hi + negative * other.lo});
  }
  panel.tensor.shape = {rows, k};
  panel.tensor.element = panelElement({least, most});
  panel.tensor.allocate();
  for (size_t i = 0; i < steps.size(); ++i)
    eval::storeInt(panel.tensor, i, steps[i]);
  return panel;
}

const ConstantPanel &
tally::cpu::constantPanel(KernelBuilder &kernel, int64_t rows, int64_t k,
                          Interval other,
                          llvm::function_ref<int64_t(int64_t, int64_t)> step) {
  return kernel.once<ConstantPanel>(
      "panel", [&] { return makePanel(rows, k, other, step); });
}

ConstantPanel ConstantPanel::termMajor() const {
  int64_t rows = tensor.shape[0], terms = tensor.shape[1];
  ConstantPanel turned = *this;
  turned.isTermMajor = true;
  turned.tensor.shape = {terms, rows};
  turned.tensor.allocate();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < terms; ++i)
      eval::storeInt(turned.tensor, i * rows + row,
                     eval::loadInt(tensor, row * terms + i));
  return turned;
}

/// Whether `use` is the right operand of a product on codes that takes it
/// transposed or not, as `transposed` says.
static bool packsAs(mlir::OpOperand &use, bool transposed) {
  if (use.getOperandNumber() != 1)
    return false;
  if (auto matmul = llvm::dyn_cast<nn::MatMulOp>(use.getOwner()))
    return matmul.getTransB() == transposed;
  auto gemm = llvm::dyn_cast<nn::GemmOp>(use.getOwner());
  return gemm && gemm.getTransB() == transposed;
}

/// Whether `use` is the right operand of a product on codes that does not
/// transpose it, which is packed column by column.
static bool packsColumns(mlir::OpOperand &use) {
  return packsAs(use, /*transposed=*/false);
}

bool tally::cpu::hasOtherReaders(const KernelBuilder &kernel) {
  mlir::OpOperand &own = kernel.op->getOpOperand(1);
  return packsColumns(own) && !llvm::all_of(own.get().getUses(), packsColumns);
}

bool tally::cpu::allPackAlike(const KernelBuilder &kernel) {
  mlir::OpOperand &own = kernel.op->getOpOperand(1);
  bool transposed = !packsColumns(own);
  return llvm::all_of(own.get().getUses(), [&](mlir::OpOperand &use) {
    return packsAs(use, transposed);
  });
}

/// Every interval holds 0 or the terms have one sign, so the ends also bound
/// the partial sums.
Result<bool> tally::cpu::needsWide(const KernelBuilder &kernel,
                                   llvm::ArrayRef<Interval> sums) {
  Interval all;
  for (Interval sum : sums) {
    all.lo = std::min(all.lo, sum.lo);
    all.hi = std::max(all.hi, sum.hi);
  }
  constexpr __int128 limit = __int128(1) << 61;
  if (all.lo <= -limit || all.hi >= limit) {
    tally::Diagnostic failure = kernel.unsupported("a 62-bit accumulator");
    failure.rule = "NUM-4";
    return failure;
  }
  return all.lo < INT32_MIN || all.hi > INT32_MAX;
}

Status tally::cpu::checkFinite(const KernelBuilder &kernel,
                               const eval::Tensor &tensor,
                               const std::string &what) {
  for (int64_t i = 0, e = tensor.count(); i < e; ++i)
    if (!tensor.isQuantized() && !std::isfinite(eval::loadFloat(tensor, i)))
      return kernel.unsupported(what + " that is not finite on codes");
  return Status::success();
}

static bool hasForm(eval::Profile profile, const ChannelProblem &channel) {
  Interval sum = channel.accumulator;
  switch (channel.terms) {
  case ChannelProblem::Terms::Products:
    return channel.divisor == 1 && channel.offset.isZero();
  case ChannelProblem::Terms::Mean:
    return profile == eval::Profile::OnnxRuntime && sum.lo >= INT32_MIN &&
           sum.hi <= INT32_MAX;
  case ChannelProblem::Terms::Sum:
    return false;
  }
  return false;
}

Result<ChannelRecord>
tally::cpu::channelRecord(const KernelBuilder &kernel,
                          const ChannelProblem &channel,
                          const eval::Quantization &result) {
  if (Status status = checkCodeBits(kernel, result); !status)
    return status.takeError();
  tally::quant::RequantizeProblem problem;
  problem.inputScale = channel.scaleA;
  problem.weightScale = channel.scaleB;
  problem.factor = channel.factor;
  problem.divisor = channel.divisor;
  problem.offset = channel.offset;
  problem.accumulatorLo = static_cast<int64_t>(channel.accumulator.lo);
  problem.accumulatorHi = static_cast<int64_t>(channel.accumulator.hi);
  setResult(problem, result);
  problem.profile = hasForm(kernel.profile, channel)
                        ? quantProfile(kernel.profile)
                        : tally::quant::Profile::Ideal;
  auto record = deriveChannelRecord(problem, channel.wantsFloatForm);
  if (!record) {
    tally::Diagnostic failure = record.takeError();
    failure.node = nn::nodeName(kernel.op);
    return failure;
  }
  return record;
}

static Result<std::vector<ChannelRecord>>
makeRecords(KernelBuilder &kernel, int64_t channels,
            llvm::function_ref<ChannelProblem(int64_t channel)> problem,
            const eval::Quantization &result) {
  std::vector<ChannelRecord> records;
  for (int64_t c = 0; c < channels; ++c) {
    ChannelProblem channel = problem(c);
    channel.wantsFloatForm = c == 0 || records.back().floatForm.has_value();
    auto record = channelRecord(kernel, channel, result);
    if (!record)
      return record.takeError();
    records.push_back(std::move(*record));
  }
  return records;
}

Result<std::vector<ChannelRecord>> tally::cpu::channelRecords(
    KernelBuilder &kernel, int64_t channels,
    llvm::function_ref<ChannelProblem(int64_t channel)> problem,
    const eval::Quantization &result) {
  return kernel.once<Result<std::vector<ChannelRecord>>>("records", [&] {
    return makeRecords(kernel, channels, problem, result);
  });
}
