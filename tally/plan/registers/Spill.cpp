//===- Spill.cpp - values that live in the save area ----------------------===//
//
// Spilling everywhere: a value that is given up keeps no register between its
// statements. What remains are short lives around each of them:
//
//   v = ...              v1 = ...; save v1
//   (far away)           (no register)
//   ... = v              reload v2; ... = v2
//
// The shorter lives are planned like all others, so spilling ends when they
// fit, and every round gives up one value. A value stays in its register if it
// is fixed, read late (a reload in a loop would write the register while the
// read of the trip before may still be due), or read by a loop, which has no
// place before its later trips.
//
// Source of the choice: Chaitin, Register allocation and spilling via graph
// coloring, 1982 (cost by degree; here by the points that become free).
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/Spill.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace tally::plan::registers;

static bool reads(const Statement &statement, ValueId value) {
  return std::ranges::any_of(
      statement.uses, [&](const Use &use) { return use.value == value; });
}

static bool writes(const Statement &statement, ValueId value) {
  return std::ranges::count(statement.defs, value) != 0;
}

SpilledProblem::SpilledProblem(const RegisterProblem &original)
    : rewritten(original), originalValues(original.values.size()),
      originalStatements(original.statements.size()), costs(originalValues),
      canSpill(originalValues, true) {
  for (ValueId value = 0; value < originalValues; ++value)
    canSpill[value] = original.values[value].fixed == kNone;
  for (const Statement &statement : original.statements) {
    bool loop = statement.kind == StatementKind::Loop;
    if (loop && statement.counter != kNone)
      canSpill[statement.counter] = false;
    for (const Use &use : statement.uses)
      if (use.late || loop)
        canSpill[use.value] = false;
  }
  std::vector<double> trips = tripsOf(original);
  for (StatementId id = 0; id < originalStatements; ++id) {
    double cost = trips[id] * static_cast<double>(original.file.transferCost);
    for (const Use &use : original.statements[id].uses)
      costs[use.value] += cost;
    for (ValueId value : original.statements[id].defs)
      costs[value] += cost;
  }
}

static void weigh(const RegisterProblem &problem,
                  const std::vector<StatementId> &body, double count,
                  std::vector<double> &trips) {
  for (StatementId id : body) {
    const Statement &statement = problem.statements[id];
    trips[id] = count;
    double inside = count;
    if (statement.kind == StatementKind::Loop)
      inside *= statement.maySkip() ? kGuessedTrips
                                    : static_cast<double>(statement.trips);
    weigh(problem, statement.body, inside, trips);
    weigh(problem, statement.otherwise, inside, trips);
  }
}

std::vector<double>
tally::plan::registers::tripsOf(const RegisterProblem &problem) {
  std::vector<double> trips(problem.statements.size());
  weigh(problem, problem.body, 1, trips);
  return trips;
}

static double pointsOf(const Ranges &ranges) {
  double points = 0;
  for (const Range &range : ranges)
    points += range.end - range.begin;
  return points;
}

bool SpilledProblem::isBetter(const Liveness &liveness, ValueId value,
                              int64_t than) const {
  if (than == kNone)
    return true;
  return costs[value] * pointsOf(liveness.values[than]) <
         costs[than] * pointsOf(liveness.values[value]);
}

int64_t SpilledProblem::cheapestAt(const Liveness &liveness,
                                   Point point) const {
  StatementId id = liveness.steps[point / kPointsPerStep].statement;
  const Statement &statement = rewritten.statements[id];
  int64_t best = kNone;
  for (ValueId value = 0; value < originalValues; ++value)
    if (canSpill[value] && covers(liveness.values[value], point) &&
        !reads(statement, value) && !writes(statement, value) &&
        isBetter(liveness, value, best))
      best = value;
  return best;
}

int64_t SpilledProblem::cheapestBeside(const Liveness &liveness,
                                       ValueId stuck) const {
  const Ranges &ranges = liveness.values[stuck];
  int64_t best = kNone;
  for (ValueId value = 0; value < originalValues; ++value)
    if (canSpill[value] &&
        firstCommon(liveness.values[value], ranges) != kNone &&
        isBetter(liveness, value, best))
      best = value;
  return best;
}

SpilledProblem::Placed SpilledProblem::place(Transfer::Kind kind,
                                             StatementId statement,
                                             ValueId value) {
  Placed result;
  result.transfer = {kind, statement, value, kNone, kNone};
  result.fresh = static_cast<ValueId>(rewritten.values.size());
  result.operation = static_cast<StatementId>(rewritten.statements.size());
  Value fresh = rewritten.values[value];
  Statement operation;
  operation.name = (kind == Transfer::Reload ? "reload " : "save ") +
                   fresh.name + (kind == Transfer::Reload ? " for " : " of ") +
                   rewritten.statements[statement].name;
  if (kind == Transfer::Reload)
    operation.defs = {result.fresh};
  else
    operation.uses = {{result.fresh, false}};
  rewritten.values.push_back(std::move(fresh));
  rewritten.statements.push_back(std::move(operation));
  return result;
}

void SpilledProblem::spill(ValueId value) {
  canSpill[value] = false;
  victims.push_back(value);
  size_t firstPlaced = placed.size();
  for (StatementId id = 0; id < originalStatements; ++id) {
    if (reads(rewritten.statements[id], value)) {
      placed.push_back(place(Transfer::Reload, id, value));
      for (Use &use : rewritten.statements[id].uses)
        if (use.value == value)
          use.value = placed.back().fresh;
    }
    if (writes(rewritten.statements[id], value)) {
      placed.push_back(place(Transfer::Save, id, value));
      std::ranges::replace(rewritten.statements[id].defs, value,
                           placed.back().fresh);
    }
  }
  insertOperations(firstPlaced);
}

void SpilledProblem::insertOperations(size_t firstPlaced) {
  rewritten.body = withOperations(rewritten.body, firstPlaced);
  for (Statement &statement : rewritten.statements) {
    statement.body = withOperations(statement.body, firstPlaced);
    statement.otherwise = withOperations(statement.otherwise, firstPlaced);
  }
}

std::vector<StatementId>
SpilledProblem::withOperations(const std::vector<StatementId> &body,
                               size_t firstPlaced) const {
  std::map<StatementId, StatementId> before, after;
  for (size_t i = firstPlaced; i < placed.size(); ++i) {
    const Transfer &transfer = placed[i].transfer;
    auto &side = transfer.kind == Transfer::Reload ? before : after;
    side[transfer.statement] = placed[i].operation;
  }
  std::vector<StatementId> result;
  for (StatementId id : body) {
    if (auto found = before.find(id); found != before.end())
      result.push_back(found->second);
    result.push_back(id);
    if (auto found = after.find(id); found != after.end())
      result.push_back(found->second);
  }
  return result;
}

RegisterSolution
SpilledProblem::solution(const std::vector<int64_t> &registers,
                         const std::vector<int64_t> &slots) const {
  RegisterSolution result;
  result.registers.assign(registers.begin(),
                          registers.begin() + originalValues);
  std::vector<int64_t> slotOf(originalValues, kNone);
  for (size_t i = 0; i < victims.size(); ++i)
    slotOf[victims[i]] = slots[i];
  for (const Placed &one : placed) {
    Transfer transfer = one.transfer;
    transfer.reg = registers[one.fresh];
    transfer.slot = slotOf[transfer.value];
    result.transfers.push_back(transfer);
  }
  std::ranges::sort(result.transfers, {}, [](const Transfer &transfer) {
    return std::tuple(transfer.statement, transfer.kind, transfer.value);
  });
  return result;
}
