//===- Evidence.cpp - what the waits of a plan prove ----------------------===//
//
// A claim says that whenever b starts, a has completed (or started). Kept are
// all claims that these rules support:
//
//   - the order of each queue, and drains;
//   - a counter wait for v: x has been counted if all signals that can precede
//     the waiter without x are fewer than v. Not after x, and not after the
//     waiter's own start, are what can precede;
//   - a token wait: the same, with v the takes that are known to have been made
//     when the waiter arrives, and its own;
//   - a flag wait: of the signals that can have left the flag set, x is one
//     that all others come after. A signal cannot have if it comes after the
//     waiter's start, or before a clear that the waiter's arrival is after.
//
// The search starts with every claim that points forward in the issue order
// and drops what the rest does not support, in passes, until nothing is
// dropped. Claims that are left may support each other in a circle, and are
// still true: take the first moment of an execution that breaks one. A wait
// passes there, and all that its rule looks at lies before that moment, where
// every claim holds.
//
//   counter 0: a1 signals; b1 and c1 wait for 1, then signal. Neither b1 nor c1
//   can be the first to signal, so both come after a1.
//
// Facts of an operation are a row: how many operations of each queue have
// completed; of a queue that completes out of order, how many have started, and
// a column for each operation. A pass costs a few binary searches for each wait
// and pair of queues on its register.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Evidence.h"

using namespace tally::plan::sync;

static constexpr uint32_t kNone = UINT32_MAX;

Evidence::Evidence(const SyncProblem &problem, const SyncPlan &plan)
    : kind(problem.file.kind) {
  number(problem, plan);
  if (columns * column.size() > size_t(1) << 31 ||
      plan.registers.size() * segmentCount > size_t(1) << 24) {
    tooLarge = true;
    return;
  }
  collect(problem, plan);
  claimAll();
  for (bool changes = true; changes;) {
    changes = false;
    const Wait *wait = plan.waits.data();
    const Wait *end = wait + plan.waits.size();
    for (Op op = 0; op < column.size(); ++op) {
      const Wait *first = wait;
      while (wait != end && wait->op == op)
        ++wait;
      changes |= visit(op, first, wait);
    }
  }
}

void Evidence::number(const SyncProblem &problem, const SyncPlan &plan) {
  size_t count = problem.operations.size();
  columns = problem.queues.size();
  std::vector<uint32_t> length(columns, 0);
  std::vector<Op> last(columns, kNone);
  ofQueue.resize(columns);
  for (const Queue &queue : problem.queues)
    depths.push_back(queue.depth);
  auto drain = plan.drains.begin();
  segmentCount = static_cast<uint32_t>(plan.drains.size()) + 1;
  uint32_t current = 0;
  for (Op op = 0; op < count; ++op) {
    if (drain != plan.drains.end() && *drain == op) {
      ++current;
      ++drain;
    }
    uint32_t queue = problem.operations[op].queue;
    bool ordered = problem.queues[queue].inOrder;
    segment.push_back(current);
    before.push_back(last[queue]);
    last[queue] = op;
    ofQueue[queue].push_back(op);
    queueOf.push_back(queue);
    inOrder.push_back(ordered);
    startColumn.push_back(queue);
    startPosition.push_back(++length[queue]);
    column.push_back(ordered ? queue : static_cast<uint32_t>(columns++));
    position.push_back(ordered ? length[queue] : 1);
  }
}

/// Every claim that points forward.
void Evidence::claimAll() {
  rows.reserve(columns * column.size());
  Row row(columns, 0);
  for (Op op = 0; op < column.size(); ++op) {
    rows.insert(rows.end(), row.begin(), row.end());
    row[column[op]] = position[op];
    row[startColumn[op]] = startPosition[op];
  }
}

/// Adds an event to the line of its queue, or alone.
static void addTo(Lines &lines, std::vector<uint32_t> &lineOf, uint32_t queue,
                  bool alone, Op op) {
  if (alone) {
    lines.push_back({op});
    return;
  }
  if (lineOf.size() <= queue)
    lineOf.resize(queue + 1, kNone);
  if (lineOf[queue] == kNone) {
    lineOf[queue] = static_cast<uint32_t>(lines.size());
    lines.emplace_back();
  }
  lines[lineOf[queue]].push_back(op);
}

void Evidence::collect(const SyncProblem &problem, const SyncPlan &plan) {
  uses.resize(plan.registers.size() * segmentCount);
  auto place = [&](uint32_t reg, Op op) {
    return reg * size_t(segmentCount) + segment[op];
  };
  std::vector<std::vector<uint32_t>> lineOf(uses.size());
  auto start = [&] { lineOf.assign(uses.size(), {}); };
  for (const Signal &signal : plan.signals) {
    size_t at = place(signal.reg, signal.op);
    addTo(uses[at].signals, lineOf[at], problem.operations[signal.op].queue,
          !inOrder[signal.op], signal.op);
  }
  start();
  for (const Wait &wait : plan.waits) {
    size_t at = place(wait.reg, wait.op);
    addTo(uses[at].takes, lineOf[at], problem.operations[wait.op].queue, false,
          wait.op);
  }
  start();
  for (const Clear &clear : plan.clears) {
    size_t at = place(clear.reg, clear.op);
    addTo(uses[at].clears, lineOf[at], problem.operations[clear.op].queue,
          false, clear.op);
  }
}

bool Evidence::completed(Op a, Op b) const {
  if (segment[a] != segment[b])
    return a < b;
  return rows[b * columns + column[a]] >= position[a];
}

bool Evidence::started(Op a, Op b) const {
  if (segment[a] != segment[b])
    return a < b;
  return inOrder[a] ? completed(a, b)
                    : rows[b * columns + startColumn[a]] >= startPosition[a];
}

bool Evidence::startedAtArrival(Op a, Op b) const {
  if (segment[a] != segment[b])
    return a < b;
  Op previous = before[b];
  return previous != kNone && startedBeforeEnd(a, previous);
}

bool Evidence::startedByIssue(Op a, Op b) const {
  const std::vector<Op> &ops = ofQueue[queueOf[a]];
  auto issued = std::lower_bound(ops.begin(), ops.end(), b) - ops.begin();
  return issued - int64_t(startPosition[a]) >= depths[queueOf[a]];
}

/// The row gains what `from` knew when it started, and that it started.
void Evidence::learnStart(Row &row, Op from) const {
  for (size_t i = 0; i < columns; ++i)
    row[i] = std::max(row[i], rows[from * columns + i]);
  if (!inOrder[from])
    row[startColumn[from]] =
        std::max(row[startColumn[from]], startPosition[from]);
}

void Evidence::learnEnd(Row &row, Op from) const {
  learnStart(row, from);
  row[column[from]] = std::max(row[column[from]], position[from]);
}

/// Takes of the register that have been made when the waiter has passed.
int64_t Evidence::tokensTaken(const Wait &wait, const RegisterUse &use) const {
  int64_t taken = 0;
  for (const std::vector<Op> &line : use.takes)
    taken += static_cast<int64_t>(leading(line, [&](Op other) {
      return other == wait.op || startedAtArrival(other, wait.op);
    }));
  return taken;
}

void Evidence::proveCount(Row &row, const Wait &wait) const {
  const RegisterUse &use = this->use(wait.reg, segment[wait.op]);
  int64_t value = kind == FileKind::Token ? tokensTaken(wait, use) : wait.value;
  std::vector<size_t> can; // precede the waiter's start
  for (const std::vector<Op> &line : use.signals)
    can.push_back(leading(
        line, [&](Op other) { return !startedBeforeEnd(wait.op, other); }));
  for (size_t own = 0; own < use.signals.size(); ++own) {
    const std::vector<Op> &line = use.signals[own];
    // The largest part of the line whose last signal is needed.
    auto isNeeded = [&](Op x) {
      auto without = static_cast<int64_t>(
          leading(line, [&](Op other) { return other < x; }));
      for (size_t i = 0; i < use.signals.size() && without < value; ++i)
        if (i != own)
          without += static_cast<int64_t>(
              std::min(can[i], leading(use.signals[i], [&](Op other) {
                         return !completed(x, other);
                       })));
      return without < value;
    };
    size_t needed = std::min(can[own], leading(line, isNeeded));
    if (needed)
      learnEnd(row, line[needed - 1]);
  }
}

void Evidence::proveFlag(Row &row, const Wait &wait) const {
  const RegisterUse &use = this->use(wait.reg, segment[wait.op]);
  std::vector<Op> known; // clears the waiter's arrival is after
  for (const std::vector<Op> &line : use.clears)
    if (size_t count = leading(
            line, [&](Op clear) { return startedAtArrival(clear, wait.op); }))
      known.push_back(line[count - 1]);
  std::vector<Op> first; // of each line that can have set the flag
  for (const std::vector<Op> &line : use.signals) {
    size_t cleared = 0;
    for (Op clear : known)
      cleared = std::max(cleared, leading(line, [&](Op signal) {
                           return completed(signal, clear);
                         }));
    if (cleared < line.size() && !startedBeforeEnd(wait.op, line[cleared]))
      first.push_back(line[cleared]);
  }
  for (Op x : first)
    if (std::all_of(first.begin(), first.end(), [&](Op other) {
          return other == x || completed(x, other);
        }))
      return learnEnd(row, x);
}

/// What still supports the operation's claims; whether some were dropped.
bool Evidence::visit(Op op, const Wait *begin, const Wait *end) {
  Row row(columns, 0);
  if (before[op] != kNone && segment[before[op]] == segment[op]) {
    if (inOrder[op])
      learnEnd(row, before[op]);
    else
      learnStart(row, before[op]);
  }
  for (const Wait *wait = begin; wait != end; ++wait) {
    if (kind == FileKind::Flag)
      proveFlag(row, *wait);
    else
      proveCount(row, *wait);
  }
  if (std::equal(row.begin(), row.end(), rows.begin() + op * columns))
    return false;
  std::copy(row.begin(), row.end(), rows.begin() + op * columns);
  return true;
}
