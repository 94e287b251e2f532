//===- TestStreams.h - streams of a program with states ---------*- C++ -*-===//

#ifndef TALLY_DRIVER_TESTSTREAMS_H
#define TALLY_DRIVER_TESTSTREAMS_H

#include "tally/driver/NpuCompile.h"
#include "tally/driver/Phases.h"
#include "tally/driver/SimulatedProgram.h"
#include "tally/driver/tensors/Comparison.h"
#include "tally/driver/tensors/RandomTensor.h"
#include "tally/machine/ShippedMachines.h"
#include "tally/ops/Ops.h"
#include "tally/ops/State.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace tally {

/// A module, as text, compiled for `edge`; streams of it in the simulator.
class TestStreams : public testing::Test {
protected:
  explicit TestStreams(const char *text) {
    context.loadDialect<nn::NnDialect, mlir::func::FuncDialect,
                        mlir::quant::QuantDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    PhaseRunner phases{PhaseControl()};
    EXPECT_TRUE(placeStatesForMachine(phases, *module, machine));
    auto made = provenProgram(*module, machine);
    EXPECT_TRUE(made) << (made ? "" : made.error().str());
    program = std::move(*made);
  }

  std::map<std::string, isa::StatePolicy> policies() const {
    std::map<std::string, isa::StatePolicy> policies;
    for (const isa::State &state : program.states)
      policies[state.name] = state.policy;
    return policies;
  }

  SimulatedProgram stream() {
    auto made = SimulatedProgram::create(machine, program);
    EXPECT_TRUE(made) << (made ? "" : made.error().str());
    return std::move(*made);
  }

  /// Of step `step`.
  static std::vector<eval::Tensor> inputs(const SimulatedProgram &stream,
                                          uint64_t step) {
    return {randomTensor(stream.inputs().front(), step, 0)};
  }

  static simulator::Outcome call(SimulatedProgram &stream, uint64_t step,
                                 std::optional<int64_t> failAt = std::nullopt) {
    simulator::RunOptions options;
    options.audit = true;
    options.failAt = failAt;
    auto outcome = stream.run(inputs(stream, step), options);
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().str());
    return outcome ? std::move(*outcome) : simulator::Outcome();
  }

  static void expectEqual(SimulatedProgram &found, SimulatedProgram &expected) {
    auto a = found.results(found.outputs());
    auto b = expected.results(expected.outputs());
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_FALSE(compareBits(a[i], b[i])) << "output " << i;
    auto states = found.states().values(), wanted = expected.states().values();
    ASSERT_TRUE(states);
    ASSERT_TRUE(wanted);
    for (const auto &[name, tensor] : *states)
      EXPECT_FALSE(compareBits(tensor, wanted->at(name))) << name;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  machine::Machine machine = *machine::findMachine("edge");
  isa::Program program;
};

} // namespace tally

#endif // TALLY_DRIVER_TESTSTREAMS_H
