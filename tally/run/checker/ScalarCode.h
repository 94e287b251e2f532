//===- ScalarCode.h - instructions of the processor -------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_SCALARCODE_H
#define TALLY_RUN_CHECKER_SCALARCODE_H

#include "tally/run/checker/Subject.h"

#include <optional>

namespace tally::checker {

/// An instruction taken apart once.
struct Decoded {
  isa::Opcode opcode = isa::Opcode::Addi;
  uint8_t rd = 0, rs1 = 0, rs2 = 0; ///< 0 where it has none
  uint8_t queue = 0, code = 0;
  uint32_t field = 0, sync = 0, clobbers = 0;
  int64_t immediate = 0; ///< or offset
  bool lateRs1 = false, lateRs2 = false;
};

/// All instructions of a program that pass isa::checkFor.
std::vector<Decoded> decodeText(const Subject &subject);

/// x[rd] of an instruction that only computes, with x[rs1] and x[rs2].
std::optional<uint32_t> resultOf(const Decoded &now, uint32_t a, uint32_t b);

/// Whether a branch is taken, likewise.
std::optional<bool> isTaken(const Decoded &now, uint32_t a, uint32_t b);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_SCALARCODE_H
