//===- Requantize.h - certified records as instructions ---------*- C++ -*-===//

#ifndef TALLY_CPU_REQUANTIZE_H
#define TALLY_CPU_REQUANTIZE_H

#include "tally/cpu/LaneCodes.h"
#include "tally/ops/CodeProblems.h"
#include "tally/quant/FloatForm.h"

namespace tally::cpu {

quant::Profile quantProfile(eval::Profile profile);
using nn::codeType;
using nn::setResult;
/// Fails by CPU-1 unless the codes have 4, 8 or 16 bits, which the records and
/// tables know. A range may leave out codes of these, such as -128.
Status checkCodeBits(const KernelBuilder &kernel,
                     const eval::Quantization &grid);

/// A channel's record and, where there is one and it was asked for, the same in
/// fp32.
struct ChannelRecord : quant::RequantizeRecord {
  std::optional<quant::FloatForm> floatForm;
};

/// Both of a problem; fails as deriveRequantize does.
Result<ChannelRecord>
deriveChannelRecord(const quant::RequantizeProblem &problem,
                    bool wantsFloatForm = true);

/// Requantization records of all channels as constant tables of a kernel, and
/// the instructions that apply them. One record serves all channels when only
/// one is given. Channels may differ in kind: under a profile, one whose bias
/// is a real number follows IDEAL beside others that do not.
///
/// An accumulator is an i32 or i64 of `channel`, or a vector of up to 64 i32
/// whose lanes are of channels from `channel` on, or all of one. Tables are
/// long enough that sixteen lanes may be read where a channel is left.
class RequantizeTables {
public:
  enum class Lanes { Channels, OneChannel };

  RequantizeTables(KernelBuilder &kernel,
                   const std::vector<ChannelRecord> &records,
                   Lanes lanes = Lanes::Channels);

  /// The codes as i32.
  Value apply(Value accumulator, Value channel);
  /// The codes as `element` stores them.
  Value codes(Value accumulator, Value channel, eval::Element element);

private:
  /// What is emitted, the first that all records have: fp32, a multiplication
  /// of 32 by 32 bits whose high half is shifted, or each record's own kind.
  enum class Form { Float32, HighHalf, Kinds };

  static Form formOf(const std::vector<ChannelRecord> &records);
  void addFloat32();
  void addHighHalf();
  void addKinds();
  void addFixedPoint();
  void addThresholds();
  bool has(quant::RequantizeKind kind) const;
  Rounded round(Value accumulator, Value channel);
  Value float32(Value accumulator, Value channel);
  Value highHalf(Value accumulator, Value channel);
  Value highHalfOfLanes(Value accumulator, Value channel);
  Value ofKinds(Value accumulator, Value channel);
  Value applyAs(quant::RequantizeKind kind, Value accumulator, Value channel);
  Value fixedPoint(Value accumulator, Value channel);
  Value threshold(Value accumulator, Value channel);
  Value asFloat(Value accumulator, Value channel);
  Value tflite(Value accumulator, Value channel, bool isSingle);
  Value roundTies(Value value, Value quotient, Value channel);
  Value patch(Value code, Value accumulator, Value channel);
  /// The channel's entry in a row of a table, the first one if none is given,
  /// in as many lanes as `like` has.
  Value entry(Value table, Value channel, Value like, Value row = {});
  template <typename T, typename Fn> Value table(Fn &&field, int64_t rows = 1);

  KernelBuilder &k;
  std::vector<ChannelRecord> records;
  bool isUniform; ///< one record for all channels
  Lanes lanes;
  int64_t padded; ///< entries in a row of a table
  ChannelRecord first;
  Form form;
  std::vector<quant::RequantizeKind> present; ///< the distinct kinds
  bool isZeroInOffset = false;                ///< HighHalf: the zero point is
  bool anyTie = false;
  int64_t exceptionCount = 0, thresholdCount = 0;
  Value multipliers, offsets, shifts, windows, masks;
  Value exceptionKeys, exceptionCodes;
  Value thresholds, kinds, lows, descending, scales, addends;
};

} // namespace tally::cpu

#endif // TALLY_CPU_REQUANTIZE_H
