//===- TestRoutines.cpp - random routines for tests -----------------------===//

#include "tally/emit/routine/TestRoutines.h"

#include "tally/emit/routine/Commands.h"
#include "tally/emit/routine/Scalars.h"
#include "tally/emit/routine/TestHelpers.h"

#include <random>

using namespace tally;
using namespace tally::emit;

namespace {
class Generator {
public:
  Generator(unsigned seed, size_t statements)
      : random(seed), left(statements) {}

  /// `values` are initialised and belong to scopes outside.
  void fill(Scope &scope, std::vector<Scratch *> values, size_t depth);

private:
  using Values = std::vector<Scratch *>;

  size_t below(size_t count) { return random() % count; }
  Scratch &pick(const Values &values) { return *values[below(values.size())]; }
  int32_t number() {
    return below(3) ? static_cast<int32_t>(below(100))
                    : static_cast<int32_t>(random());
  }
  void draw(Scope &scope, const Values &values, size_t depth);
  void scalar(Scope &scope, const Values &values);
  void memory(Scope &scope, const Values &values);
  void late(Scope &scope);
  void nested(Scope &scope, const Values &values, size_t depth);
  void looped(Scope &scope, const Values &values, size_t depth);
  void branched(Scope &scope, const Values &values, size_t depth);

  std::mt19937 random;
  size_t left;
  int32_t address = 0;
};
} // namespace

void Generator::scalar(Scope &scope, const Values &values) {
  Scratch &to = pick(values);
  switch (below(4)) {
  case 0:
    return addConstant(scope, to, pick(values), number());
  case 1:
    return add(scope, to, pick(values), pick(values));
  case 2:
    return setConstant(scope, to, number());
  default:
    Scratch multiple = scope.borrow("multiple");
    scale(scope, multiple, pick(values), static_cast<int32_t>(below(40)));
    copy(scope, to, multiple);
  }
}

void Generator::memory(Scope &scope, const Values &values) {
  ContextWord word(scope, {}, address);
  if (below(3) == 0) {
    word.load(pick(values));
    return;
  }
  word.store(pick(values));
  address += below(2) ? 4 : 1024;
}

void Generator::late(Scope &scope) {
  Pending pending;
  {
    Scope inner(scope.routine(), "late");
    pending =
        issue(inner, testCopy(0), {}, Addend::of(inner, number() & 0xffff));
  }
  if (below(2))
    waitFor(scope, pending);
}

void Generator::nested(Scope &scope, const Values &values, size_t depth) {
  Scope inner(scope.routine(), "nested");
  Scratch value = constant(inner, number(), "nested value");
  Values more = values;
  more.push_back(&value);
  fill(inner, more, depth + 1);
}

void Generator::looped(Scope &scope, const Values &values, size_t depth) {
  auto body = [&](Scope &inner) {
    fill(inner, values, depth + 1);
    fenceAll(inner);
  };
  fenceAll(scope);
  int32_t trips = static_cast<int32_t>(below(4));
  if (below(2))
    return loop(scope, trips, "known", body);
  Scratch count = constant(scope, trips, "trips");
  loop(scope, count, "unknown", body);
}

void Generator::branched(Scope &scope, const Values &values, size_t depth) {
  auto way = [&](Scope &inner) { fill(inner, values, depth + 1); };
  auto relation = static_cast<Relation>(below(6));
  Operand a = pick(values);
  if (below(2))
    branch(scope, a, relation, pick(values), way, way);
  else
    branch(scope, a, relation, {}, way);
}

void Generator::draw(Scope &scope, const Values &values, size_t depth) {
  size_t kind = below(depth > 2 ? 14 : 20);
  if (kind < 7)
    scalar(scope, values);
  else if (kind < 12)
    memory(scope, values);
  else if (kind < 14)
    late(scope);
  else if (kind < 16)
    nested(scope, values, depth);
  else if (kind < 18)
    looped(scope, values, depth);
  else
    branched(scope, values, depth);
}

void Generator::fill(Scope &scope, Values values, size_t depth) {
  for (size_t count = 1 + below(6); count > 0 && left > 0; --count, --left)
    draw(scope, values, depth);
}

void tally::emit::recordRandom(Routine &routine, unsigned seed,
                               size_t statements) {
  Generator generator(seed, statements);
  Scope scope(routine, "random");
  Scratch a = constant(scope, 1, "a"), b = constant(scope, 2, "b");
  generator.fill(scope, {&a, &b}, 0);
  generator.fill(scope, {&a, &b}, 0);
  ContextWord(scope, {}, 60000).store(a);
  ContextWord(scope, {}, 60004).store(b);
}
