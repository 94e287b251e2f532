//===- ScalarCode.h - instructions of the processor -------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_SCALARCODE_H
#define TALLY_RUN_CHECKER_SCALARCODE_H

#include "tally/run/checker/Subject.h"

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

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_SCALARCODE_H
