//===- SelfTest.h - an artifact that can check itself -----------*- C++ -*-===//
//
// `SYMBOL_selftest(workspace)` fills the inputs with made-up data of seed 0
// (driver/tensors/RandomTensor.h states the generator), runs the program and
// compares a hash of the outputs with the one the exact evaluator gave when
// the artifact was made. It shows that a machine gives the evaluator's bits.
//
// The hash is FNV-1a over the outputs' elements in order, each one 64-bit
// word: h = (h ^ word) * 0x100000001b3 from 0xcbf29ce484222325. An element's
// word is its bits, zero-extended; every NaN counts as the positive quiet NaN
// without payload, since processors disagree about the rest.
//
// States begin with made-up data, too, as if they stood behind the inputs. The
// hash of each new value that a run writes, beginning like that of the outputs,
// is joined to it as a word: h = (h ^ hash) * 0x100000001b3, in the order of
// the interface.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_SELFTEST_H
#define TALLY_CPU_SELFTEST_H

#include "tally/runtime/Interface.h"

namespace tally::cpu {

/// The hash of tensors one behind the other.
uint64_t outputHash(const std::vector<eval::Tensor> &outputs);
uint64_t joinHashes(uint64_t hash, uint64_t next);

/// Bytes of workspace: every input, every output, every slot of states and the
/// arena, each rounded up to 64.
int64_t selfTestBytes(const runtime::Interface &interface);

/// LLVM IR text of `SYM_selftest`, which calls `SYM_run` and returns 0, 1 when
/// the workspace is null or not aligned to 64, 2 when the processor is too
/// old, or 3 when the hash is not `expected`.
std::string selfTestText(const runtime::Interface &interface,
                         uint64_t expected);

} // namespace tally::cpu

#endif // TALLY_CPU_SELFTEST_H
