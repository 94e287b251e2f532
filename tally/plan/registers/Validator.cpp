//===- Validator.cpp - judges a register plan -----------------------------===//
//
// Runs the program on places (registers, then slots of the save area) that hold
// the name of a value instead of a number:
//
//   a write    the place holds the value, and no other place does;
//   a clobber  the register holds nothing;
//   a read     the register must hold the value;
//   a join     a place holds what it holds on both paths, or nothing;
//   a move     both registers hold the value.
//
// Reads in flight are a set: (register, queue) with the number of operations
// behind the newest. A join is their union, with the smaller number. What is in
// flight must not be written.
//
// Loops run until the state at their head stays the same; it only loses values
// and gains reads in flight, so it does. Nothing is lost by joining: each step
// copies or forgets what single places hold, so a read that is refused is wrong
// on some path.
//
//   L: i in r0   t = ...  in r0     the count of trip 2 reads i in r0, which
//                                   holds t
//
// Source: the checker of regalloc2 (Bytecode Alliance), whose lattice and meet
// these are, without the reads in flight.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/registers/ValidatorForm.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace tally::plan::registers;

namespace {
constexpr int64_t kNothing = -1;

/// Who put what there; nothing, by a clobber or before the first write.
struct Writing {
  int64_t value = kNothing;
  int64_t writer = kNothing;
};

/// What a place certainly holds, and, for reports, from which writing; behind a
/// join of two that differ, the other one too.
struct Place {
  int64_t value = kNothing;
  Writing from;
  std::optional<Writing> orFrom;

  static Place of(int64_t value, StatementId writer) {
    return {value, {value, writer}, std::nullopt};
  }
  /// With one that differs.
  void join(const Place &other);
};

struct Flight {
  int64_t behind = 0; ///< operations in its queue since
  StatementId reader = 0;
};

struct State {
  std::vector<Place> places;
  std::map<std::pair<int64_t, int64_t>, Flight> flights; ///< register, queue

  bool sameAs(const State &other) const;
  void meet(const State &other);
};

class Judge {
public:
  Judge(const RegisterProblem &problem, const RegisterSolution &solution)
      : problem(problem), solution(solution), where(solution.registers) {}
  std::string run();

private:
  void enterParts(StatementId id, State &state);
  void leaveParts(StatementId id, State &state);
  void move(StatementId id, ValueId value, int64_t from, int64_t to,
            State &state);
  void walk(const std::vector<StatementId> &body, State &state);
  void visit(StatementId id, State &state);
  void transfer(StatementId id, Transfer::Kind kind, State &state);
  void operation(StatementId id, State &state);
  void wait(const Statement &statement, State &state);
  void branch(const Statement &statement, State &state);
  void loop(StatementId id, State &state);
  void trip(StatementId id, State &state);
  void count(StatementId id, State &state);

  void readAll(StatementId id, State &state);
  void read(StatementId id, ValueId value, int64_t place, const State &state);
  void spoil(StatementId id, int64_t reg, const State &state);
  void write(StatementId id, ValueId value, int64_t place, State &state);
  void fly(StatementId id, State &state);

  int64_t registerOf(StatementId id, ValueId value, Transfer::Kind kind) const;
  std::string placeName(int64_t place) const;
  std::string words(const Writing &writing) const;
  std::string held(const Place &place) const;
  std::string laterTrip() const;
  void report(std::string text);
  const std::string &nameOf(StatementId id) const {
    return problem.statements[id].name;
  }

  const RegisterProblem &problem;
  const RegisterSolution &solution;
  /// Where each value is to be found, inside the parts that are open.
  std::vector<int64_t> where;
  struct OpenPart {
    const Part *part;
    int64_t around; ///< where the value is outside
  };
  std::vector<OpenPart> open;
  std::vector<StatementId> laterTrips; ///< loops whose body runs again
  std::string violation;               ///< the first
};
} // namespace

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

void Place::join(const Place &other) {
  if (other.orFrom && !orFrom)
    *this = other;
  else if (!orFrom)
    orFrom = other.from;
  value = kNothing;
}

bool State::sameAs(const State &other) const {
  auto sameValue = [](const Place &a, const Place &b) {
    return a.value == b.value;
  };
  auto sameFlight = [](const auto &a, const auto &b) {
    return a.first == b.first && a.second.behind == b.second.behind;
  };
  return std::ranges::equal(places, other.places, sameValue) &&
         std::ranges::equal(flights, other.flights, sameFlight);
}

void State::meet(const State &other) {
  for (size_t i = 0; i < places.size(); ++i)
    if (places[i].value != other.places[i].value)
      places[i].join(other.places[i]);
  for (const auto &[key, flight] : other.flights) {
    auto [mine, isNew] = flights.emplace(key, flight);
    if (!isNew && flight.behind < mine->second.behind)
      mine->second = flight;
  }
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static std::string quoted(const std::string &name) { return "'" + name + "'"; }

void Judge::report(std::string text) {
  if (violation.empty())
    violation = std::move(text);
}

std::string Judge::placeName(int64_t place) const {
  int64_t registers = problem.file.count;
  return place < registers ? "r" + std::to_string(place)
                           : "slot " + std::to_string(place - registers);
}

std::string Judge::words(const Writing &writing) const {
  std::string what = writing.value == kNothing
                         ? "nothing"
                         : quoted(problem.values[writing.value].name);
  return writing.writer == kNothing
             ? what
             : what + " since " + quoted(nameOf(writing.writer));
}

std::string Judge::held(const Place &place) const {
  std::string text = "holds " + words(place.from);
  return place.orFrom ? text + " or " + words(*place.orFrom) : text;
}

std::string Judge::laterTrip() const {
  return laterTrips.empty()
             ? ""
             : ", from trip 2 of " + quoted(nameOf(laterTrips.back())) + " on";
}

//===----------------------------------------------------------------------===//
// Reads and writes of one place
//===----------------------------------------------------------------------===//

int64_t Judge::registerOf(StatementId id, ValueId value,
                          Transfer::Kind kind) const {
  if (where[value] != kNone)
    return where[value];
  for (const Transfer &transfer : solution.transfers)
    if (transfer.statement == id && transfer.value == value &&
        transfer.kind == kind)
      return transfer.reg;
  return kNone;
}

void Judge::read(StatementId id, ValueId value, int64_t place,
                 const State &state) {
  const std::string &name = problem.values[value].name;
  if (place == kNone)
    report(quoted(nameOf(id)) + " reads " + quoted(name) +
           ", which has no register there");
  else if (state.places[place].value != value)
    report(quoted(nameOf(id)) + " reads " + quoted(name) + " in " +
           placeName(place) + ", which " + held(state.places[place]) +
           laterTrip());
}

/// A register's content ends, so nobody may still read it.
void Judge::spoil(StatementId id, int64_t reg, const State &state) {
  auto at = state.flights.lower_bound({reg, INT64_MIN});
  if (at == state.flights.end() || at->first.first != reg)
    return;
  report(quoted(nameOf(id)) + " writes " + placeName(reg) + " while queue " +
         quoted(problem.queues[at->first.second]) + " may still read it for " +
         quoted(nameOf(at->second.reader)) + laterTrip());
}

void Judge::write(StatementId id, ValueId value, int64_t place, State &state) {
  if (place == kNone)
    return report(quoted(nameOf(id)) + " writes " +
                  quoted(problem.values[value].name) +
                  ", which has no register there");
  spoil(id, place, state);
  for (Place &other : state.places)
    if (other.value == value)
      other = Place::of(kNothing, id);
  state.places[place] = Place::of(value, id);
}

void Judge::transfer(StatementId id, Transfer::Kind kind, State &state) {
  for (const Transfer &move : solution.transfers) {
    if (move.statement != id || move.kind != kind)
      continue;
    int64_t slot = problem.file.count + move.slot;
    if (kind == Transfer::Save) {
      read(id, move.value, move.reg, state);
      state.places[slot] = Place::of(move.value, id);
      continue;
    }
    read(id, move.value, slot, state);
    spoil(id, move.reg, state);
    state.places[move.reg] = Place::of(move.value, id);
  }
}

void Judge::readAll(StatementId id, State &state) {
  for (const Use &use : problem.statements[id].uses)
    read(id, use.value, registerOf(id, use.value, Transfer::Reload), state);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

void Judge::move(StatementId id, ValueId value, int64_t from, int64_t to,
                 State &state) {
  read(id, value, from, state);
  if (to == kNone)
    return report(quoted(nameOf(id)) + " moves " +
                  quoted(problem.values[value].name) +
                  ", which has no register there");
  spoil(id, to, state);
  state.places[to] = Place::of(value, id);
}

void Judge::enterParts(StatementId id, State &state) {
  for (const Part &part : solution.parts) {
    if (part.first != id)
      continue;
    open.push_back({&part, where[part.value]});
    if (part.enters)
      move(id, part.value, where[part.value], part.reg, state);
    where[part.value] = part.reg;
  }
}

void Judge::leaveParts(StatementId id, State &state) {
  for (size_t at = solution.parts.size(); at-- > 0;) {
    const Part &part = solution.parts[at];
    auto mine = std::ranges::find(open, &part, &OpenPart::part);
    if (part.last != id || mine == open.end())
      continue;
    for (auto inner = mine + 1; inner != open.end(); ++inner)
      if (inner->part->value == part.value)
        report("parts of " + quoted(problem.values[part.value].name) +
               " overlap at " + quoted(nameOf(id)));
    if (part.leaves)
      move(id, part.value, part.reg, mine->around, state);
    where[part.value] = mine->around;
    open.erase(mine);
  }
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The operation enters its queue, behind all that is there.
void Judge::fly(StatementId id, State &state) {
  const Statement &statement = problem.statements[id];
  if (statement.queue == kNone)
    return;
  for (auto &[key, flight] : state.flights)
    if (key.second == statement.queue)
      ++flight.behind;
  for (const Use &use : statement.uses)
    if (int64_t reg = registerOf(id, use.value, Transfer::Reload);
        use.late && reg != kNone)
      state.flights[{reg, statement.queue}] = {0, id};
}

void Judge::operation(StatementId id, State &state) {
  const Statement &statement = problem.statements[id];
  readAll(id, state);
  fly(id, state);
  for (uint32_t reg : statement.clobbers) {
    spoil(id, reg, state);
    state.places[reg] = Place::of(kNothing, id);
  }
  std::set<int64_t> written;
  for (ValueId value : statement.defs) {
    int64_t reg = registerOf(id, value, Transfer::Save);
    write(id, value, reg, state);
    if (!written.insert(reg).second)
      report(quoted(nameOf(id)) + " writes two values to " + placeName(reg));
  }
}

void Judge::wait(const Statement &statement, State &state) {
  std::erase_if(state.flights, [&](const auto &entry) {
    return entry.first.second == statement.queue &&
           entry.second.behind >= statement.pending;
  });
}

void Judge::branch(const Statement &statement, State &state) {
  State other = state;
  walk(statement.body, state);
  walk(statement.otherwise, other);
  state.meet(other);
}

/// One trip.
void Judge::trip(StatementId id, State &state) {
  const Statement &statement = problem.statements[id];
  walk(statement.body, state);
  if (statement.mayRepeat())
    laterTrips.push_back(id);
  readAll(id, state);
  if (statement.counter != kNone)
    count(id, state);
  if (statement.mayRepeat())
    laterTrips.pop_back();
}

/// Makes the next trip's counter of this one's.
void Judge::count(StatementId id, State &state) {
  ValueId counter = static_cast<ValueId>(problem.statements[id].counter);
  int64_t reg = where[counter];
  read(id, counter, reg, state);
  write(id, counter, reg, state);
}

void Judge::loop(StatementId id, State &state) {
  const Statement &statement = problem.statements[id];
  readAll(id, state);
  if (statement.counter != kNone) {
    ValueId counter = static_cast<ValueId>(statement.counter);
    write(id, counter, where[counter], state);
  }
  State entry = state, head = state;
  trip(id, state);
  laterTrips.push_back(id);
  while (statement.mayRepeat() && violation.empty()) {
    State next = head;
    next.meet(state);
    if (next.sameAs(head))
      break;
    head = next;
    state = std::move(next);
    trip(id, state);
  }
  laterTrips.pop_back();
  if (statement.maySkip())
    state.meet(entry);
}

void Judge::visit(StatementId id, State &state) {
  const Statement &statement = problem.statements[id];
  transfer(id, Transfer::Reload, state);
  if (statement.kind == StatementKind::Operation) {
    operation(id, state);
  } else if (statement.kind == StatementKind::Wait) {
    wait(statement, state);
  } else if (statement.kind == StatementKind::If) {
    readAll(id, state);
    branch(statement, state);
  } else {
    loop(id, state);
  }
  transfer(id, Transfer::Save, state);
}

void Judge::walk(const std::vector<StatementId> &body, State &state) {
  size_t around = open.size();
  for (StatementId id : body) {
    enterParts(id, state);
    visit(id, state);
    leaveParts(id, state);
    if (!violation.empty())
      return;
  }
  if (open.size() != around)
    report("the part of " +
           quoted(problem.values[open.back().part->value].name) + " from " +
           quoted(nameOf(open.back().part->first)) +
           " on does not end in its body");
}

std::string Judge::run() {
  if (std::string fault = findFormFault(problem, solution); !fault.empty())
    return fault;
  State state;
  state.places.resize(problem.file.count + problem.file.slots);
  walk(problem.body, state);
  return violation;
}

std::string
tally::plan::registers::findViolation(const RegisterProblem &problem,
                                      const RegisterSolution &solution) {
  return Judge(problem, solution).run();
}
