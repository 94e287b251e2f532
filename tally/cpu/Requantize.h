//===- Requantize.h - certified records as instructions ---------*- C++ -*-===//

#ifndef TALLY_CPU_REQUANTIZE_H
#define TALLY_CPU_REQUANTIZE_H

#include "tally/cpu/KernelBuilder.h"
#include "tally/ops/CodeProblems.h"

namespace tally::cpu {

quant::Profile quantProfile(eval::Profile profile);
using nn::codeType;
using nn::setResult;
/// Fails by CPU-1 unless the codes have 4, 8 or 16 bits, which the records and
/// tables know. A range may leave out codes of these, such as -128.
Status checkCodeBits(const KernelBuilder &kernel,
                     const eval::Quantization &grid);

/// Requantization records of all channels as constant tables of a kernel, and
/// the instructions that apply them. One record serves all channels when only
/// one is given. Channels may differ in kind: under a profile, one whose bias
/// is a real number follows IDEAL beside others that do not.
class RequantizeTables {
public:
  RequantizeTables(KernelBuilder &kernel,
                   const std::vector<quant::RequantizeRecord> &records);

  /// The i32 code of an accumulator (i32 or i64) of `channel`.
  Value apply(Value accumulator, Value channel);

private:
  bool has(quant::RequantizeKind kind) const;
  void addFixedPoint();
  void addThresholds();
  Value applyAs(quant::RequantizeKind kind, Value accumulator, Value channel);
  Value fixedPoint(Value accumulator, Value channel);
  Value threshold(Value accumulator, Value channel);
  Value asFloat(Value accumulator, Value channel);
  Value tflite(Value accumulator, Value channel, bool isSingle);
  Value roundTies(Value value, Value quotient, Value channel);
  Value patch(Value code, Value accumulator, Value channel);
  Value entry(Value table, Value channel);
  template <typename T, typename Fn> Value table(Fn &&field);

  KernelBuilder &k;
  std::vector<quant::RequantizeRecord> records;
  bool isUniform;
  quant::RequantizeRecord first;
  std::vector<quant::RequantizeKind> present; ///< the distinct kinds
  bool anyTie = false;
  int64_t exceptionCount = 0, thresholdCount = 0;
  Value multipliers, offsets, shifts, windows, masks;
  Value exceptionKeys, exceptionCodes;
  Value thresholds, kinds, lows, descending, scales;
};

} // namespace tally::cpu

#endif // TALLY_CPU_REQUANTIZE_H
