//===- Target.h - processors that code is made for --------------*- C++ -*-===//
//
// A family of processors has one object format and a few tiers (Tier); a
// processor is one of those that LLVM knows by name, of which two things are
// used: which tiers it has, and how its instructions are best ordered.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_TARGET_H
#define TALLY_CPU_TARGET_H

#include "tally/cpu/CpuCompiler.h"

namespace tally::cpu {

enum class Family { X86, Arm };

Family familyOf(Tier tier);
/// As runtime::Interface::target has it: "x86_64-linux-gnu",
/// "aarch64-linux-gnu".
const char *familyName(Family family);
/// What LLVM calls it.
const char *familyTriple(Family family);
std::vector<Tier> tiersOf(Family family); ///< weakest first

/// The family of a name such as "aarch64-linux-gnu", also with a vendor
/// ("aarch64-unknown-linux-gnu"); nothing for all others.
std::optional<Family> findFamily(const std::string &name);

/// The names of a family's processors, as LLVM has them.
std::vector<std::string> processorNames(Family family);
/// The tiers of one of them, weakest first.
std::vector<Tier> tiersOfProcessor(Family family, const std::string &name);

} // namespace tally::cpu

#endif // TALLY_CPU_TARGET_H
