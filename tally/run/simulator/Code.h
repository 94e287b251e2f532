//===- Code.h - a program's text, decoded -----------------------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_CODE_H
#define TALLY_RUN_SIMULATOR_CODE_H

#include "tally/emit/isa/Instruction.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tally::simulator {

/// Words of text from address `base` on. A word that no instruction has is a
/// fault once it is reached.
struct Code {
  uint32_t base = 0, entry = 0;
  std::vector<uint32_t> words;
  std::vector<std::optional<isa::Instruction>> instructions; ///< of each word
  std::vector<std::string> nodes; ///< of each word; may be empty
  std::vector<std::string> lines; ///< "conv.s:12"; may be empty

  /// Place of the instruction at `pc`, or nothing outside of the text.
  std::optional<size_t> find(uint32_t pc) const {
    uint32_t offset = pc - base;
    if (offset % isa::kInstructionBytes != 0 ||
        offset / isa::kInstructionBytes >= instructions.size())
      return std::nullopt;
    return offset / isa::kInstructionBytes;
  }
};

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_CODE_H
