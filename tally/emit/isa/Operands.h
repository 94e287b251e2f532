//===- Operands.h - the memory operands of a command ------------*- C++ -*-===//
//
// The common ground of a command's rules, effects and time, private to this
// folder.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ISA_OPERANDS_H
#define TALLY_EMIT_ISA_OPERANDS_H

#include "tally/emit/isa/Effects.h"

namespace tally::isa {

/// Most elements of an operand and most taps of a window: what follows from a
/// command stays computable.
inline constexpr int64_t kMaxElements = int64_t(1) << 32;
inline constexpr int64_t kMaxTaps = int64_t(1) << 16;

/// Where an operand may lie.
enum class Reach : uint8_t {
  Dma,          ///< SRAM or a region
  Sram,         ///< SRAM
  Vector,       ///< SRAM; accumulators for 4-byte elements
  Accumulators, ///< accumulators
  Parameters,   ///< SRAM or a region
};

/// One operand with what the rules need to know.
struct Operand {
  Access access;
  Reach reach = Reach::Sram;
  int64_t elementBytes = 1;
  int64_t offset = 0; ///< with go's addend
  /// Counts and strides as the fields state them, outermost first.
  std::array<int64_t, 4> counts{1, 1, 1, 1};
  std::array<int64_t, 4> strides{};
  bool isElementwise = false; ///< each element for one of the result
};

/// A run of indices: first, first + step, ..., `count` of them.
struct IndexRun {
  int64_t first = 0, count = 0, step = 1;
  friend bool operator==(const IndexRun &, const IndexRun &) = default;
};

/// The indices of [0, extent) that `out` windows of `taps` taps touch:
/// y step + u dilation - before. Disjoint runs.
std::vector<IndexRun> touchedIndices(int64_t out, int64_t taps, int64_t step,
                                     int64_t dilation, int64_t before,
                                     int64_t extent);

/// Elements of `bytes` bytes at starts[d] + [0, counts[d]) as one box, with
/// neighbouring elements joined into runs. Nothing if a count is 0.
void addBox(std::vector<Box> &boxes, int64_t offset,
            const std::array<int64_t, 4> &counts,
            const std::array<int64_t, 4> &strides, int64_t bytes);

/// All operands of a command whose fields keep CMD-FIELD and CMD-TYPE.
std::vector<Operand> operandsOf(const Command &command,
                                const machine::Machine &machine);
std::vector<Operand> dmaOperands(const Command &command);
std::vector<Operand> matrixOperands(const Command &command,
                                    const machine::MatrixUnit &unit);
std::vector<Operand> vectorOperands(const Command &command);

/// CMD-FIELD, CMD-TYPE and CMD-UNIT of each kind.
Status checkDmaFields(const Command &command);
Status checkMatrixFields(const Command &command, const machine::Engine &engine,
                         const machine::Machine &machine);
Status checkVectorFields(const Command &command, const machine::Engine &engine,
                         const machine::Machine &machine);

/// A failure of kind Model about a command.
Diagnostic refuseCommand(const Command &command, std::string rule,
                         std::string message);
/// CMD-FIELD unless `holds`: "field 'NAME' is VALUE; WANTED".
Status demand(const Command &command, uint32_t field, bool holds,
              const std::string &wanted);

/// CMD-FIELD of the ten fields of a window, from kernel.h on.
Status checkWindow(const Command &command, uint32_t kernelH);

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_OPERANDS_H
