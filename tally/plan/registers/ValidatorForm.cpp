//===- ValidatorForm.cpp - the form of a register plan --------------------===//

#include "tally/plan/registers/ValidatorForm.h"

#include <algorithm>

using namespace tally::plan::registers;

namespace {
class Form {
public:
  Form(const RegisterProblem &problem, const RegisterSolution &solution)
      : problem(problem), solution(solution) {}
  std::string check() const;

private:
  std::string checkHome(ValueId value) const;
  std::string checkTransfer(const Transfer &transfer) const;
  std::string checkPart(const Part &part) const;

  const RegisterProblem &problem;
  const RegisterSolution &solution;
};
} // namespace

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

static bool isUsable(const RegisterFile &file, int64_t reg) {
  return reg >= 0 && reg < file.count &&
         !std::ranges::count(file.reserved, reg);
}

std::string Form::checkHome(ValueId value) const {
  int64_t reg = solution.registers[value];
  const Value &what = problem.values[value];
  if (reg == kNone)
    return "";
  if (!isUsable(problem.file, reg))
    return "r" + std::to_string(reg) + " of " + quoted(what.name) +
           " is reserved or does not exist";
  if (what.fixed != kNone && what.fixed != reg)
    return quoted(what.name) + " is fixed to r" + std::to_string(what.fixed) +
           " and placed in r" + std::to_string(reg);
  return "";
}

std::string Form::checkTransfer(const Transfer &transfer) const {
  if (transfer.statement >= problem.statements.size() ||
      transfer.value >= problem.values.size())
    return "a transfer is of no statement or value";
  const Statement &statement = problem.statements[transfer.statement];
  std::string what = "a transfer of " +
                     quoted(problem.values[transfer.value].name) + " at " +
                     quoted(statement.name);
  if (statement.kind == StatementKind::Loop)
    return what + " is not once before a loop's trips";
  if (!isUsable(problem.file, transfer.reg))
    return what + " is in r" + std::to_string(transfer.reg) +
           ", which is reserved or does not exist";
  if (transfer.slot < 0 || transfer.slot >= problem.file.slots)
    return what + " has slot " + std::to_string(transfer.slot) + " of " +
           std::to_string(problem.file.slots);
  if (solution.registers[transfer.value] != kNone)
    return what + " has a register besides";
  return "";
}

std::string Form::checkPart(const Part &part) const {
  if (part.first >= problem.statements.size() ||
      part.last >= problem.statements.size() ||
      part.value >= problem.values.size())
    return "a part is of no statement or value";
  const Value &value = problem.values[part.value];
  std::string what = "the part of " + quoted(value.name) + " from " +
                     quoted(problem.statements[part.first].name) + " on";
  if (!isUsable(problem.file, part.reg))
    return what + " is in r" + std::to_string(part.reg) +
           ", which is reserved or does not exist";
  if (value.fixed != kNone && value.fixed != part.reg)
    return what + " is in r" + std::to_string(part.reg) +
           ", and the value is fixed to r" + std::to_string(value.fixed);
  return "";
}

std::string Form::check() const {
  if (solution.registers.size() != problem.values.size())
    return std::to_string(solution.registers.size()) + " registers for " +
           std::to_string(problem.values.size()) + " values";
  for (ValueId value = 0; value < solution.registers.size(); ++value)
    if (std::string fault = checkHome(value); !fault.empty())
      return fault;
  for (const Transfer &transfer : solution.transfers)
    if (std::string fault = checkTransfer(transfer); !fault.empty())
      return fault;
  for (const Part &part : solution.parts)
    if (std::string fault = checkPart(part); !fault.empty())
      return fault;
  if (!solution.transfers.empty() && !solution.parts.empty())
    return "a plan has transfers or parts, not both";
  return "";
}

std::string
tally::plan::registers::findFormFault(const RegisterProblem &problem,
                                      const RegisterSolution &solution) {
  return Form(problem, solution).check();
}
