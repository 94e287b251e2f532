//===- TestVerdicts.h - verdicts on assembly --------------------*- C++ -*-===//
//
// Programs are for the machine `edge`, whose queues are load0, load1, store,
// matrix and vector, or a variant of it.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_CHECKER_TESTVERDICTS_H
#define TALLY_RUN_CHECKER_TESTVERDICTS_H

#include "tally/run/checker/Checker.h"

namespace tally::checker {

machine::Machine edge();
machine::Machine edgeWith(machine::SyncKind kind, int64_t bits);

/// The program as file x.s.
Subject assembled(const std::string &text, const machine::Machine &machine);

/// What is printed of a program; a failure's text where it is not judged.
std::string judged(const std::string &text,
                   const machine::Machine &machine = edge(),
                   const CheckOptions &options = {});

/// Buffers `in` of 64 and `out` of 16 bytes; fields for copies of 16 bytes:
/// load0 from `in` to SRAM at 0, vector from there to 64, store from there to
/// `out`.
extern const std::string kCopies;

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_TESTVERDICTS_H
