//===- Audit.h - declared effects against what was touched ------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_AUDIT_H
#define TALLY_RUN_SIMULATOR_AUDIT_H

#include "tally/emit/isa/Effects.h"
#include "tally/run/simulator/Memory.h"

#include <optional>
#include <span>
#include <string>

namespace tally::simulator {

/// The first bytes that a command touched and did not declare, or declared and
/// did not touch; nothing when both are the same, byte for byte.
std::optional<std::string> audit(std::span<const isa::Access> declared,
                                 Touched &touched);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_AUDIT_H
