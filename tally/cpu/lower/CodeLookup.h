//===- CodeLookup.h - codes through a table, one or many --------*- C++ -*-===//

#ifndef TALLY_CPU_LOWER_CODELOOKUP_H
#define TALLY_CPU_LOWER_CODELOOKUP_H

#include "tally/cpu/kernels/ByteLookup.h"
#include "tally/quant/CodeType.h"

#include <memory>

namespace tally::cpu {

/// The entry of a code in a table in memory, as codeTable makes it. Tables of
/// bytes are taken to registers, where the tier can, for vectors of codes.
class CodeLookup {
public:
  /// Outside of the loops that use it. `type` is that of the codes.
  CodeLookup(KernelBuilder &kernel, Value table, quant::CodeType type);

  /// Whether `apply` takes vectors of up to 64 codes.
  bool takesLanes() const { return registers != nullptr; }
  Value apply(KernelBuilder &kernel, Value codes) const;

private:
  Value applyLanes(KernelBuilder &kernel, Value codes) const;

  Value table;
  quant::CodeType type;
  std::shared_ptr<ByteLookup> registers;
};

} // namespace tally::cpu

#endif // TALLY_CPU_LOWER_CODELOOKUP_H
