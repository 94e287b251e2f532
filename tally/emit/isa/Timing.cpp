//===- Timing.cpp - cycles by the tables' formulas ------------------------===//
//
// A name in a formula is a staged field, `unit.NAME` of the engine in the
// machine file, or derived from the command:
//
//   elements  size0 size1 size2 size3
//   results   elements of a reduction's result
//   transfer  bytes moved by a DMA; in a region each run of neighbouring bytes
//             counts as whole granules; the larger side's
//   slow      VectorUnit::slowFactor times the function's slow steps, at least
//             1; of a command without functions the factor itself
//   cpi       the processor's cyclesPerInstruction
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Timing.h"
#include "tally/emit/isa/Formula.h"
#include "tally/emit/isa/Operands.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>

using namespace tally;
using namespace tally::isa;
using machine::Engine;
using machine::EngineKind;
using machine::Machine;

//===----------------------------------------------------------------------===//
// What names mean
//===----------------------------------------------------------------------===//

namespace {

struct Setting {
  const Command &command;
  const Machine &machine;
  const Engine &engine;
};

struct Name {
  std::string_view name;
  int64_t (*value)(const Setting &);
};

} // namespace

static int64_t elements(const Setting &s) {
  int64_t count = 1;
  for (VectorField size : {VectorField::Size0, VectorField::Size1,
                           VectorField::Size2, VectorField::Size3})
    count *= s.command.get(size);
  return count;
}

static int64_t results(const Setting &s) {
  int64_t count = 1;
  for (uint32_t d = 0; d < 4; ++d)
    if ((s.command.get(VectorField::Axes) >> d & 1) == 0)
      count *= s.command.config.get(uint32_t(VectorField::Size0) + d);
  return count;
}

static int64_t transferOf(const Operand &operand, const Machine &machine) {
  int64_t granule = isRegion(operand.access.space) ? machine.global.granule : 1;
  int64_t bytes = 0;
  for (const Box &box : operand.access.boxes) {
    int64_t runs = 1;
    for (int64_t count : box.counts)
      runs *= count;
    bytes +=
        runs * int64_t(llvm::alignTo(uint64_t(box.bytes), uint64_t(granule)));
  }
  return bytes;
}

static int64_t transfer(const Setting &s) {
  int64_t most = 0;
  for (const Operand &operand : operandsOf(s.command, s.machine))
    most = std::max(most, transferOf(operand, s.machine));
  return most;
}

static int64_t slow(const Setting &s) {
  int64_t factor = s.engine.vector.slowFactor;
  const FunctionInfo *function =
      findFunction(s.command.code, s.command.get(VectorField::Function));
  return function ? std::max<int64_t>(1, function->slow * factor) : factor;
}

static constexpr Name kDmaNames[] = {
    {"unit.latency", [](const Setting &s) { return s.engine.dma.latency; }},
    {"unit.rate", [](const Setting &s) { return s.engine.dma.bytesPerCycle; }},
    {"transfer", transfer},
};

static constexpr Name kMatrixNames[] = {
    {"unit.startup", [](const Setting &s) { return s.engine.matrix.startup; }},
    {"unit.rows", [](const Setting &s) { return s.engine.matrix.rows; }},
    {"unit.columns", [](const Setting &s) { return s.engine.matrix.columns; }},
    {"unit.load",
     [](const Setting &s) {
       const machine::MatrixUnit &unit = s.engine.matrix;
       return llvm::divideCeilSigned(unit.rows * unit.columns,
                                     unit.weightBytesPerCycle);
     }},
    {"unit.channels",
     [](const Setting &s) { return s.engine.matrix.depthwiseChannels; }},
    {"unit.taps",
     [](const Setting &s) { return s.engine.matrix.depthwiseTaps; }},
    {"unit.lanes",
     [](const Setting &s) { return s.engine.matrix.outputLanes; }},
};

static constexpr Name kVectorNames[] = {
    {"unit.startup", [](const Setting &s) { return s.engine.vector.startup; }},
    {"unit.lanes", [](const Setting &s) { return s.engine.vector.lanes; }},
    {"elements", elements},
    {"results", results},
    {"slow", slow},
};

static std::span<const Name> namesOf(EngineKind kind) {
  switch (kind) {
  case EngineKind::Dma:
    return kDmaNames;
  case EngineKind::Matrix:
    return kMatrixNames;
  case EngineKind::Vector:
    return kVectorNames;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Formulas with their names found
//===----------------------------------------------------------------------===//

namespace {

/// A name of a formula: a staged field, or one of the names above.
struct Variable {
  std::optional<uint32_t> field;
  const Name *name = nullptr;
};

struct BoundFormula {
  Formula formula;
  std::vector<Variable> variables;
};

} // namespace

static Result<Variable> bind(const std::string &name, EngineKind kind) {
  Variable variable{findField(kind, name)};
  std::span<const Name> names = namesOf(kind);
  auto found = std::ranges::find(names, name, &Name::name);
  if (found != names.end())
    variable.name = &*found;
  if (variable.field || variable.name)
    return variable;
  Diagnostic failure;
  failure.message = "a formula names '" + name +
                    "', which is neither a field "
                    "nor known of a " +
                    std::string(engineKindName(kind)) + " engine";
  return failure;
}

static Result<BoundFormula> bind(const CommandInfo &command) {
  Result<Formula> formula = Formula::parse(command.cycles);
  if (!formula)
    return formula.takeError();
  BoundFormula bound{std::move(*formula), {}};
  for (const std::string &name : bound.formula.variables()) {
    Result<Variable> variable = bind(name, command.kind);
    if (!variable)
      return variable.takeError();
    bound.variables.push_back(*variable);
  }
  return bound;
}

Status tally::isa::checkFormulas() {
  for (const CommandInfo &command : allCommands())
    if (Result<BoundFormula> bound = bind(command); !bound)
      return bound.takeError();
  for (const InstructionInfo &instruction : allInstructions()) {
    Result<Formula> formula = Formula::parse(instruction.cycles);
    if (!formula)
      return formula.takeError();
    if (formula->variables() != std::vector<std::string>{"cpi"})
      return Diagnostic{.message = "cycles of '" +
                                   std::string(instruction.mnemonic) +
                                   "' depend on more than cpi"};
  }
  return Status::success();
}

/// By command code; checkFormulas is a test, so all of them bind.
static const std::map<CommandCode, BoundFormula> &formulas() {
  static const std::map<CommandCode, BoundFormula> all = [] {
    std::map<CommandCode, BoundFormula> bound;
    for (const CommandInfo &command : allCommands())
      bound.emplace(command.code, *bind(command));
    return bound;
  }();
  return all;
}

int64_t tally::isa::cyclesOf(const Command &command, const Machine &machine) {
  const BoundFormula &bound = formulas().at(command.code);
  Setting setting{command, machine, machine.engineOf(command.queue)};
  std::vector<int64_t> values;
  values.reserve(bound.variables.size());
  for (const Variable &variable : bound.variables)
    values.push_back(variable.field ? command.config.get(*variable.field)
                                    : variable.name->value(setting));
  return bound.formula.evaluate(values);
}

int64_t tally::isa::cyclesOf(Opcode opcode, const Machine &machine) {
  int64_t cpi[] = {machine.processor.cyclesPerInstruction};
  return Formula::parse(infoOf(opcode).cycles)->evaluate(cpi);
}
