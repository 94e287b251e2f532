//===- Code.h - instructions with what their registers mean -----*- C++ -*-===//
//
// What a routine becomes: instructions of physical registers. Beside each
// register operand stands the value that it is about, as the routine recorded
// it and not as the registers were planned, so that Verifier.h can judge the
// plan.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ROUTINE_CODE_H
#define TALLY_EMIT_ROUTINE_CODE_H

#include "tally/emit/isa/Instruction.h"

#include <optional>
#include <string>
#include <vector>

namespace tally::emit {

/// One borrow of a scratch register: a slot of the routine, and how often it
/// had been given back before.
struct Tag {
  uint32_t slot = 0, generation = 0;
  friend auto operator<=>(const Tag &, const Tag &) = default;
};

struct CodeLine {
  isa::Instruction instruction;
  /// What the register holds when it is read, and what it holds once it is
  /// written; nothing for x0, and for a write that leaves no value.
  std::optional<Tag> rs1, rs2, rd;
  /// The statement that it is part of, as "addi@Copy.cpp:41#12".
  std::string origin;
  /// Place in Code::nodes.
  uint32_t node = 0;
};

/// A program: it begins at the first line and ends by ecall.
struct Code {
  std::vector<CodeLine> lines;
  struct Name {
    Tag tag;
    std::string role, where; ///< "row pitch", "Copy.cpp:41"
  };
  std::vector<Name> names; ///< of all tags, ascending
  /// Nodes of the model that lines belong to; the first stands for none.
  std::vector<std::string> nodes{""};
  int64_t scratchUsed = 0; ///< different scratch registers

  std::vector<isa::Instruction> instructions() const;
};

/// "row pitch (Copy.cpp:41)".
std::string describe(const Code &code, Tag tag);

/// One line an instruction, as "12  addi x5, x0, 7  ; rd row pitch".
std::string toText(const Code &code);

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_CODE_H
