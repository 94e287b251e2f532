//===- ArmForTests.h - compiled code on an emulated AArch64 -----*- C++ -*-===//
//
// For tests only.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_ARMFORTESTS_H
#define TALLY_CPU_ARMFORTESTS_H

#include "tally/cpu/CpuCompiler.h"

namespace tally::cpu {

/// Whether there are an emulator and the program that it runs
/// (tests/emulator).
bool hasArmEmulator();

/// One run of an object for AArch64, without states, in a process of its own.
Result<std::vector<eval::Tensor>>
runOnArm(const CompiledObject &compiled,
         const std::vector<eval::Tensor> &inputs);

} // namespace tally::cpu

#endif // TALLY_CPU_ARMFORTESTS_H
