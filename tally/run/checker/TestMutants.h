//===- TestMutants.h - programs with one fault each -------------*- C++ -*-===//

#ifndef TALLY_RUN_CHECKER_TESTMUTANTS_H
#define TALLY_RUN_CHECKER_TESTMUTANTS_H

#include "tally/run/checker/Subject.h"

namespace tally::checker {

struct Mutant {
  std::string what;
  Subject subject;
};

/// All mutants with one wait dropped, one threshold lowered by one, one
/// synchronization or scalar register exchanged for another that the program
/// uses, or one offset of a buffer shifted by a byte or by 4.
std::vector<Mutant> mutantsOf(const Subject &original);

} // namespace tally::checker

#endif // TALLY_RUN_CHECKER_TESTMUTANTS_H
