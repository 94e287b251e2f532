//===- Draft.h - code whose jumps have no distances yet ---------*- C++ -*-===//
//
// Private to this folder: lines and labels, between the plan of registers and
// the code.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_EMIT_ROUTINE_DRAFT_H
#define TALLY_EMIT_ROUTINE_DRAFT_H

#include "tally/emit/routine/Registers.h"

namespace tally::emit {

using Label = uint32_t;

/// A label, or a line; a branch or jump goes to `target`.
struct DraftLine {
  std::optional<Label> label;
  CodeLine line;
  std::optional<Label> target;
};

using Draft = std::vector<DraftLine>;

/// The branch that is taken when `opcode` is not.
isa::Opcode oppositeBranch(isa::Opcode opcode);

/// The routine on its registers, with an ecall at the end.
Draft makeDraft(const Recording &recording,
                const RegisterAssignment &assignment);

/// Overwrites each scratch register that holds nothing, behind labels and where
/// its value has been read for the last time, with a pattern. A register that a
/// queue may still read is left alone.
Draft poisoned(const Draft &draft, const machine::Machine &machine);

/// Distances for jumps; a conditional one that does not reach its target, or
/// each with `longPaths`, becomes its opposite around a jal. EMIT-6 if that
/// does not reach it.
Result<Code> layOut(const Draft &draft, bool longPaths);

} // namespace tally::emit

#endif // TALLY_EMIT_ROUTINE_DRAFT_H
