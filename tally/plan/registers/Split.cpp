//===- Split.cpp - values that change their register ----------------------===//
//
// A part of a value's life becomes a value of its own: in some statements of
// one body, one after the other, the value gets another name, with a move
// before them and one after them.
//
//   v = ...                  v = ...
//   f  destroys r0           f  destroys r0      v in r1
//   ... = v                  w = v
//   g  destroys r1           g  destroys r1      w in r0
//   ... = v                  ... = w
//
// So the program with parts is again a program, and liveness and the scan need
// not know about them. Moves that nobody needs are left out. For a value that
// found no register that part of it is made which leaves the fewest points
// without one, and of those the one with the cheapest moves; if none helps, a
// part of a value that lives beside it. So on until all values have a register
// or no part helps.
//
// A value that is read late is moved only where that writes no register that a
// queue may still read: REG-7 of the program with parts.
//
// Cost: up to kMostTried pairs of liveness analyses for a part.
//
// Source: live range splitting, as Wimmer and Mössenböck, Optimized interval
// splitting in a linear scan register allocator, 2005; here by whole
// statements.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/Split.h"

#include "tally/plan/registers/Spill.h"

#include <algorithm>
#include <array>
#include <set>

using namespace tally;
using namespace tally::plan::registers;

static constexpr size_t kMostTried = 250;
/// In a body that is longer, a part reaches to one of its ends or is one
/// statement.
static constexpr size_t kShortBody = 12;

namespace {
/// Where a part could be: statements of the original program.
struct Region {
  StatementId first = 0, last = 0;
};

/// A program with parts.
class SplitProblem {
public:
  explicit SplitProblem(const RegisterProblem &original);

  /// Makes `region` of `value` a part; false if that cannot be.
  bool split(ValueId value, Region region);
  bool canSplit(ValueId value) const { return splittable[value]; }
  /// Finds `liveness`; false if a read in flight is in the way.
  bool analyse();

  /// Numbers of the original, then those of parts and their moves.
  RegisterProblem problem;
  Liveness liveness;
  double cost = 0; ///< of all moves, weighted by trips

  RegisterSolution solution(const std::vector<int64_t> &registers) const;

private:
  struct Made {
    Part part;
    ValueId around, inside;               ///< names of the value
    int64_t enter = kNone, leave = kNone; ///< statements that move
  };

  std::vector<StatementId> *bodyOf(StatementId id);
  bool has(StatementId id, StatementId wanted) const;
  bool isNamed(ValueId value, Region region);
  bool rename(StatementId id, const Made &made);
  StatementId addPlace(const Made &made, bool enters);
  void addPlaces(Made &now);
  void settle(int64_t &move, ValueId around, ValueId from, ValueId to);

  size_t originalValues;
  std::vector<ValueId> originOf;
  std::vector<bool> splittable;
  std::vector<double> trips; ///< of each original statement
  std::vector<Made> made;
};
} // namespace

//===----------------------------------------------------------------------===//
// One part
//===----------------------------------------------------------------------===//

SplitProblem::SplitProblem(const RegisterProblem &original)
    : problem(original), originalValues(original.values.size()),
      splittable(originalValues), trips(tripsOf(original)) {
  for (ValueId value = 0; value < originalValues; ++value) {
    originOf.push_back(value);
    splittable[value] = original.values[value].fixed == kNone;
  }
}

std::vector<StatementId> *SplitProblem::bodyOf(StatementId id) {
  if (std::ranges::count(problem.body, id))
    return &problem.body;
  for (Statement &statement : problem.statements)
    for (auto *body : {&statement.body, &statement.otherwise})
      if (std::ranges::count(*body, id))
        return body;
  return nullptr;
}

/// In a statement and all that lies in it; false if a part of the same value
/// begins or ends there.
bool SplitProblem::rename(StatementId id, const Made &now) {
  for (const Made &other : made)
    if (other.around == now.around &&
        (other.part.first == id || other.part.last == id))
      return false;
  Statement &statement = problem.statements[id];
  for (Use &use : statement.uses)
    if (use.value == now.around)
      use.value = now.inside;
  std::ranges::replace(statement.defs, now.around, now.inside);
  if (statement.counter == static_cast<int64_t>(now.around))
    statement.counter = now.inside;
  for (const auto *body : {&statement.body, &statement.otherwise})
    for (StatementId inner : *body)
      if (!rename(inner, now))
        return false;
  return true;
}

/// Whether `wanted` is `id` or lies in it.
bool SplitProblem::has(StatementId id, StatementId wanted) const {
  const Statement &statement = problem.statements[id];
  auto inner = [&](StatementId one) { return has(one, wanted); };
  return id == wanted || std::ranges::any_of(statement.body, inner) ||
         std::ranges::any_of(statement.otherwise, inner);
}

/// Whether `region` lies where `value` is the name of its value.
bool SplitProblem::isNamed(ValueId value, Region region) {
  auto part = std::ranges::find(made, value, &Made::inside);
  if (part == made.end())
    return true;
  const std::vector<StatementId> &body = *bodyOf(part->part.first);
  auto first = std::ranges::find(body, part->part.first);
  auto last = std::ranges::find(first, body.end(), part->part.last) + 1;
  return std::ranges::all_of(
      std::array{region.first, region.last}, [&](StatementId end) {
        return std::any_of(first, last,
                           [&](StatementId id) { return has(id, end); });
      });
}

/// A statement that does nothing yet.
StatementId SplitProblem::addPlace(const Made &now, bool enters) {
  Statement place;
  place.name = "move " + problem.values[now.part.value].name +
               (enters ? " before " : " after ") +
               problem.statements[enters ? now.part.first : now.part.last].name;
  problem.statements.push_back(std::move(place));
  return static_cast<StatementId>(problem.statements.size() - 1);
}

void SplitProblem::addPlaces(Made &now) {
  now.enter = addPlace(now, true);
  now.leave = addPlace(now, false);
  std::vector<StatementId> &body = *bodyOf(now.part.first);
  body.insert(std::ranges::find(body, now.part.first),
              static_cast<StatementId>(now.enter));
  body.insert(std::ranges::find(body, now.part.last) + 1,
              static_cast<StatementId>(now.leave));
}

/// A move from one name to the other if the value is needed there, or nothing.
void SplitProblem::settle(int64_t &move, ValueId around, ValueId from,
                          ValueId to) {
  StatementId id = static_cast<StatementId>(move);
  auto step = std::ranges::find(liveness.steps, id, &Step::statement);
  Point reads =
      static_cast<Point>(step - liveness.steps.begin()) * kPointsPerStep;
  if (covers(liveness.values[around], reads) &&
      !covers(liveness.onlyInFlight[around], reads)) {
    problem.statements[id].uses = {{from, false}};
    problem.statements[id].defs = {to};
    return;
  }
  std::erase(*bodyOf(id), id);
  move = kNone;
}

bool SplitProblem::analyse() {
  Result<Liveness> computed = computeLiveness(problem);
  if (computed)
    liveness = std::move(*computed);
  return static_cast<bool>(computed);
}

bool SplitProblem::split(ValueId value, Region region) {
  if (!isNamed(value, region))
    return false;
  Made now;
  now.around = value;
  now.inside = static_cast<ValueId>(problem.values.size());
  now.part.value = originOf[value];
  now.part.first = region.first;
  now.part.last = region.last;
  problem.values.push_back(problem.values[value]);
  originOf.push_back(now.part.value);
  splittable.push_back(true);
  // Whether the value is needed is asked before there are moves: in a loop they
  // would need each other.
  addPlaces(now);
  if (!analyse())
    return false;
  settle(now.enter, value, value, now.inside);
  settle(now.leave, value, now.inside, value);
  const std::vector<StatementId> &body = *bodyOf(region.first);
  auto first = std::ranges::find(body, region.first);
  auto last = std::ranges::find(first, body.end(), region.last);
  for (auto at = first; at != last + 1; ++at)
    if (!rename(*at, now))
      return false;
  cost += (now.enter != kNone) * trips[region.first] +
          (now.leave != kNone) * trips[region.last];
  made.push_back(now);
  return analyse();
}

RegisterSolution
SplitProblem::solution(const std::vector<int64_t> &registers) const {
  RegisterSolution result;
  result.registers.assign(registers.begin(),
                          registers.begin() +
                              static_cast<ptrdiff_t>(originalValues));
  for (const Made &one : made) {
    Part part = one.part;
    part.reg = registers[one.inside];
    part.enters = one.enter != kNone;
    part.leaves = one.leave != kNone;
    if (part.reg != kNone)
      result.parts.push_back(part);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Which part
//===----------------------------------------------------------------------===//

namespace {
class Search {
public:
  Search(const RegisterProblem &problem, Seed seed)
      : original(problem), seed(seed), best(problem) {}
  std::optional<RegisterSolution> run();

private:
  void findParents(int64_t parent, const std::vector<StatementId> &body);
  void findSpans();
  bool lives(ValueId value, StatementId first, StatementId last) const;
  void findPart(ValueId stuck);
  bool improve();
  void tryAll(ValueId value, const std::vector<StatementId> &body);
  void tryOne(ValueId value, Region region);

  const RegisterProblem &original;
  Seed seed;
  std::vector<int64_t> parents; ///< of each original statement
  std::vector<Range> spans;     ///< of each original statement
  size_t tried = 0;
  size_t least = 0; ///< points without a register, of `next` or else of `best`
  SplitProblem best;
  GreedyAssignment bestAssignment;
  std::optional<SplitProblem> next;
  GreedyAssignment nextAssignment;
};
} // namespace

/// Points at which a value needs a register and has none.
static size_t pointsWithout(const Liveness &liveness,
                            const GreedyAssignment &assignment) {
  size_t points = 0;
  for (ValueId value : assignment.unplaced)
    for (const Range &range : liveness.values[value])
      points += range.end - range.begin;
  return points;
}

void Search::tryOne(ValueId value, Region region) {
  if (++tried > kMostTried)
    return;
  SplitProblem candidate = best;
  if (!candidate.split(value, region))
    return;
  GreedyAssignment assignment =
      assignGreedily(candidate.problem, candidate.liveness, seed);
  size_t left = pointsWithout(candidate.liveness, assignment);
  if (left > least ||
      (left == least && (!next || candidate.cost >= next->cost)))
    return;
  least = left;
  next = std::move(candidate);
  nextAssignment = std::move(assignment);
}

void Search::findParents(int64_t parent, const std::vector<StatementId> &body) {
  for (StatementId id : body) {
    parents[id] = parent;
    findParents(id, original.statements[id].body);
    findParents(id, original.statements[id].otherwise);
  }
}

/// The points of each original statement with all that lies in it.
void Search::findSpans() {
  spans.assign(original.statements.size(), {UINT32_MAX, 0});
  for (size_t at = 0; at < best.liveness.steps.size(); ++at) {
    StatementId id = best.liveness.steps[at].statement;
    if (id >= spans.size())
      continue; // a move
    Point begin = static_cast<Point>(at) * kPointsPerStep;
    for (int64_t around = id; around != kNone; around = parents[around]) {
      spans[around].begin = std::min(spans[around].begin, begin);
      spans[around].end = begin + kPointsPerStep;
    }
  }
}

bool Search::lives(ValueId value, StatementId first, StatementId last) const {
  return firstCommon(best.liveness.values[value],
                     {{spans[first].begin, spans[last].end}}) != kNone;
}

/// Parts of `value` in `body` and the bodies in it, where the value lives.
void Search::tryAll(ValueId value, const std::vector<StatementId> &body) {
  size_t count = body.size();
  bool isShort = count <= kShortBody;
  for (size_t first = 0; first < count; ++first)
    for (size_t last = first; last < count; ++last)
      if ((isShort || first == 0 || last == first || last + 1 == count) &&
          lives(value, body[first], body[last]))
        tryOne(value, {body[first], body[last]});
  for (StatementId id : body)
    if (lives(value, id, id)) {
      tryAll(value, original.statements[id].body);
      tryAll(value, original.statements[id].otherwise);
    }
}

/// Finds the best part of `stuck` or, if none helps, of a value that lives
/// together with it.
void Search::findPart(ValueId stuck) {
  tried = 0;
  if (best.canSplit(stuck))
    tryAll(stuck, original.body);
  const Ranges &ranges = best.liveness.values[stuck];
  for (ValueId value = 0; value < best.problem.values.size() && !next; ++value)
    if (value != stuck && best.canSplit(value) &&
        firstCommon(best.liveness.values[value], ranges) != kNone)
      tryAll(value, original.body);
}

/// Makes a part that helps the first of the values without a register that can
/// be helped.
bool Search::improve() {
  next.reset();
  findSpans();
  for (ValueId stuck : bestAssignment.unplaced)
    if (!next)
      findPart(stuck);
  if (!next)
    return false;
  best = std::move(*next);
  bestAssignment = std::move(nextAssignment);
  return true;
}

std::optional<RegisterSolution> Search::run() {
  if (!best.analyse())
    return std::nullopt;
  parents.assign(original.statements.size(), kNone);
  findParents(kNone, original.body);
  bestAssignment = assignGreedily(original, best.liveness, seed);
  least = pointsWithout(best.liveness, bestAssignment);
  while (!bestAssignment.unplaced.empty())
    if (!improve())
      return std::nullopt;
  return best.solution(bestAssignment.registers);
}

std::optional<RegisterSolution>
tally::plan::registers::planWithParts(const RegisterProblem &problem,
                                      Seed seed) {
  return Search(problem, seed).run();
}
