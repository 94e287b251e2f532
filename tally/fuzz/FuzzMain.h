//===- FuzzMain.h - the command tally-fuzz-graphs ---------------*- C++ -*-===//

#ifndef TALLY_FUZZ_FUZZMAIN_H
#define TALLY_FUZZ_FUZZMAIN_H

namespace tally::fuzz {

/// Returns 0 when every graph keeps the law, 1 when one fails, the coverage
/// asked for is not reached or too many are refused, 2 for wrong arguments.
int fuzzMain(int argc, char **argv);

} // namespace tally::fuzz

#endif // TALLY_FUZZ_FUZZMAIN_H
