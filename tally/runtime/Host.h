//===- Host.h - what this machine can run -----------------------*- C++ -*-===//
//
// Which instruction sets need what, and which of them this machine has. Targets
// and instruction sets are named as in an Interface, features as LLVM does.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_HOST_H
#define TALLY_RUNTIME_HOST_H

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tally::runtime {

/// Processor family and system, such as "x86_64-linux-gnu"; "" for one that no
/// code is made for.
std::string hostTarget();

/// Instruction sets that this processor and system offer, weakest first.
std::vector<std::string> hostTiers();

/// What `tier`, an instruction set of hostTarget(), needs and this machine
/// lacks: "avx512vnni", ... Empty for one of hostTiers(), and for an unknown
/// name.
std::vector<std::string> missingFeatures(std::string_view tier);

/// The instruction sets of `target` that need nothing but features for which
/// `has` is true, weakest first.
std::vector<std::string>
tiersWith(std::string_view target,
          const std::function<bool(const char *feature)> &has);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_HOST_H
