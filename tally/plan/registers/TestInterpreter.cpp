//===- TestInterpreter.cpp - runs a register plan -------------------------===//

#include "tally/plan/registers/TestInterpreter.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

using namespace tally::plan::registers;

namespace {
/// The answers of one path, and how many each question had.
struct Choices {
  struct Choice {
    size_t taken, count;
  };
  std::vector<Choice> choices;
  size_t next = 0;

  size_t choose(size_t count) {
    if (next == choices.size())
      choices.push_back({0, count});
    return choices[next++].taken;
  }
  /// To the next path, if there is one.
  bool advance() {
    next = 0;
    while (!choices.empty() && choices.back().taken + 1 == choices.back().count)
      choices.pop_back();
    if (choices.empty())
      return false;
    ++choices.back().taken;
    return true;
  }
};

/// The registers that a queued operation may still read.
using Command = std::vector<int64_t>;

class Run {
public:
  Run(const RegisterProblem &problem, const RegisterSolution &solution,
      Choices &choices)
      : problem(problem), solution(solution), choices(choices),
        homes(solution.registers), newest(problem.values.size(), kNone),
        registers(problem.file.count), slots(problem.file.slots),
        queues(problem.queues.size()) {}

  bool goesWrong() {
    body(problem.body);
    return wrong;
  }

private:
  void body(const std::vector<StatementId> &body);
  void statement(StatementId id);
  void operation(StatementId id);
  void loop(StatementId id);
  void moves(StatementId id, Transfer::Kind kind);
  void reads(StatementId id);
  void read(int64_t reg, ValueId value);
  void write(int64_t reg, int64_t number);
  void relocate(ValueId value, int64_t from, int64_t to, bool copies);
  int64_t placeOf(StatementId id, ValueId value, Transfer::Kind kind) const;

  const RegisterProblem &problem;
  const RegisterSolution &solution;
  Choices &choices;
  std::vector<int64_t> homes; ///< of each value, right now
  int64_t numbers = 0;
  std::vector<int64_t> newest, registers, slots;
  std::vector<std::deque<Command>> queues;
  bool wrong = false;
};
} // namespace

int64_t Run::placeOf(StatementId id, ValueId value, Transfer::Kind kind) const {
  for (const Transfer &move : solution.transfers)
    if (move.statement == id && move.value == value && move.kind == kind)
      return move.reg;
  return homes[value];
}

void Run::read(int64_t reg, ValueId value) {
  wrong |= reg == kNone || registers[reg] != newest[value];
}

void Run::write(int64_t reg, int64_t number) {
  for (const std::deque<Command> &queue : queues)
    for (const Command &command : queue)
      wrong |= std::ranges::count(command, reg) != 0;
  registers[reg] = number;
}

void Run::moves(StatementId id, Transfer::Kind kind) {
  for (const Transfer &move : solution.transfers) {
    if (move.statement != id || move.kind != kind)
      continue;
    if (kind == Transfer::Reload)
      write(move.reg, slots[move.slot]);
    else
      slots[move.slot] = registers[move.reg];
  }
}

void Run::reads(StatementId id) {
  for (const Use &use : problem.statements[id].uses)
    read(placeOf(id, use.value, Transfer::Reload), use.value);
}

void Run::operation(StatementId id) {
  const Statement &what = problem.statements[id];
  reads(id);
  if (what.queue != kNone) {
    Command late;
    for (const Use &use : what.uses)
      if (use.late)
        late.push_back(placeOf(id, use.value, Transfer::Reload));
    queues[what.queue].push_back(late);
  }
  for (uint32_t reg : what.clobbers)
    write(reg, ++numbers);
  std::set<int64_t> written;
  for (ValueId value : what.defs) {
    int64_t reg = placeOf(id, value, Transfer::Save);
    wrong |= !written.insert(reg).second;
    write(reg, newest[value] = ++numbers);
  }
}

void Run::loop(StatementId id) {
  const Statement &what = problem.statements[id];
  int64_t trips =
      what.trips > 0 ? what.trips : static_cast<int64_t>(choices.choose(4));
  reads(id);
  auto count = [&] {
    if (what.counter != kNone)
      write(homes[what.counter], newest[what.counter] = ++numbers);
  };
  count();
  for (int64_t trip = 0; trip < trips && !wrong; ++trip) {
    body(what.body);
    reads(id);
    if (what.counter != kNone)
      read(homes[what.counter], static_cast<ValueId>(what.counter));
    count();
  }
}

void Run::statement(StatementId id) {
  const Statement &what = problem.statements[id];
  moves(id, Transfer::Reload);
  if (what.kind == StatementKind::Operation) {
    operation(id);
  } else if (what.kind == StatementKind::Loop) {
    loop(id);
  } else if (what.kind == StatementKind::If) {
    reads(id);
    body(choices.choose(2) == 0 ? what.body : what.otherwise);
  } else {
    std::deque<Command> &queue = queues[what.queue];
    while (static_cast<int64_t>(queue.size()) > what.pending)
      queue.pop_front();
  }
  moves(id, Transfer::Save);
}

void Run::relocate(ValueId value, int64_t from, int64_t to, bool copies) {
  if (!copies)
    return;
  read(from, value);
  wrong |= to == kNone;
  if (!wrong)
    write(to, registers[from]);
}

void Run::body(const std::vector<StatementId> &body) {
  std::map<size_t, int64_t> around; // of each part that is open
  for (StatementId id : body) {
    if (wrong)
      return;
    for (size_t at = 0; at < solution.parts.size(); ++at) {
      const Part &part = solution.parts[at];
      if (part.first != id)
        continue;
      around[at] = homes[part.value];
      relocate(part.value, homes[part.value], part.reg, part.enters);
      homes[part.value] = part.reg;
    }
    statement(id);
    for (size_t at = solution.parts.size(); at-- > 0;) {
      const Part &part = solution.parts[at];
      if (part.last != id || !around.count(at))
        continue;
      relocate(part.value, part.reg, around[at], part.leaves);
      homes[part.value] = around[at];
    }
  }
}

RunResult tally::plan::registers::runAllPaths(const RegisterProblem &problem,
                                              const RegisterSolution &solution,
                                              size_t mostPaths) {
  Choices choices;
  for (size_t path = 0; path < mostPaths; ++path) {
    if (Run(problem, solution, choices).goesWrong())
      return {true, false};
    if (!choices.advance())
      return {false, true};
  }
  return {};
}
