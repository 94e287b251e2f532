//===- TestCommands.h - commands for tests ----------------------*- C++ -*-===//

#ifndef TALLY_EMIT_ISA_TESTCOMMANDS_H
#define TALLY_EMIT_ISA_TESTCOMMANDS_H

#include "tally/emit/isa/Command.h"
#include "tally/machine/MachineFile.h"

#include <random>

#include <gtest/gtest.h>

namespace tally::isa {

inline machine::Machine shippedMachine(const std::string &name) {
  Result<machine::Machine> machine = machine::readMachine(
      std::string(TALLY_SOURCE_DIR) + "/machines/" + name + ".yaml");
  EXPECT_TRUE(machine) << machine.error().str();
  return *machine;
}

inline const machine::Machine &edge() {
  static const machine::Machine machine = shippedMachine("edge");
  return machine;
}

template <typename Field>
void set(Command &command, Field field, int64_t value) {
  Status status = command.config.set(field, value);
  EXPECT_TRUE(status) << status.error().str();
}

template <typename Field>
using FieldValues = std::vector<std::pair<Field, int64_t>>;

template <typename Field>
Command commandOf(CommandCode code, const char *queue,
                  const FieldValues<Field> &values) {
  Command command;
  command.code = code;
  command.queue = *edge().findQueue(queue);
  command.config = Configuration(command.info().kind);
  for (const auto &[field, value] : values)
    set(command, field, value);
  return command;
}

/// Commands of edge's engines; other fields hold their initial values.
inline Command dmaCommand(const FieldValues<DmaField> &values) {
  return commandOf(CommandCode::DmaCopy, "load0", values);
}
inline Command matrixCommand(const FieldValues<MatrixField> &values) {
  return commandOf(CommandCode::MatrixConv, "matrix", values);
}
inline Command vectorCommand(CommandCode code,
                             const FieldValues<VectorField> &values) {
  return commandOf(code, "vector", values);
}

} // namespace tally::isa

#endif // TALLY_EMIT_ISA_TESTCOMMANDS_H
