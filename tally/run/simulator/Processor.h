//===- Processor.h - the scalar core of the command processor ---*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_PROCESSOR_H
#define TALLY_RUN_SIMULATOR_PROCESSOR_H

#include "tally/emit/isa/Instruction.h"
#include "tally/machine/Machine.h"
#include "tally/run/simulator/Fault.h"
#include "tally/run/simulator/Memory.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tally::simulator {

/// Registers and pc, and what scalar instructions do to them. x0 is 0; a
/// register that was never written must not be read.
class Processor {
public:
  explicit Processor(const machine::Machine &machine) : machine(machine) {}

  uint32_t pc = 0;

  /// Executes an instruction of isa::Unit::Processor but `reset` and `ebreak`,
  /// and moves pc. Loads and stores go to the context of `memory`, whose fault
  /// is the caller's to look at.
  std::optional<Wrong> execute(const isa::Instruction &instruction,
                               Memory &memory);

  uint32_t read(uint32_t reg) const { return values[reg]; }
  /// What is wrong with the registers that an instruction names.
  std::optional<Wrong>
  checkRegisters(const isa::Instruction &instruction) const;
  /// Sets what was never written to something: what a machine may hold then.
  void poison(uint32_t value);

private:
  void write(uint32_t reg, uint32_t value);
  void branch(const isa::Instruction &instruction);
  void compute(const isa::Instruction &instruction);
  void loadOrStore(const isa::Instruction &instruction, Memory &memory);

  const machine::Machine &machine;
  std::array<uint32_t, 32> values{};
  uint32_t defined = 1; ///< bit r: x[r] was written
};

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_PROCESSOR_H
