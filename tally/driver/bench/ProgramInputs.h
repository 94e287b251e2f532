//===- ProgramInputs.h - data for a program that is measured ----*- C++ -*-===//

#ifndef TALLY_DRIVER_BENCH_PROGRAMINPUTS_H
#define TALLY_DRIVER_BENCH_PROGRAMINPUTS_H

#include "tally/runtime/Context.h"

namespace tally::bench {

/// Data for the inputs: those of `files` (as --input has them), made-up ones of
/// `seed` for all others. States without a value of their own get theirs.
/// Fails by the rules of readInputs and Context::setState.
Result<std::vector<eval::Tensor>>
programInputs(runtime::Context &program, const std::vector<std::string> &files,
              uint64_t seed);

} // namespace tally::bench

#endif // TALLY_DRIVER_BENCH_PROGRAMINPUTS_H
