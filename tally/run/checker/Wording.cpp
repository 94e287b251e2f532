//===- Wording.cpp - findings in words of the user ------------------------===//

#include "tally/run/checker/Wording.h"
#include "tally/run/checker/Schedule.h"

#include "tally/emit/asm/Text.h"
#include "tally/emit/encode/Encode.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;

static std::string printed(const isa::Instruction &instruction,
                           const machine::Machine &machine) {
  // What means nothing on the machine has no names of it.
  if (!isa::checkFor(instruction, machine))
    return std::string(instruction.info().mnemonic);
  return isa::textOf(instruction, machine);
}

/// What holds of an instruction; empty: nothing.
static std::string entryAt(const std::map<uint32_t, std::string> &entries,
                           uint32_t instruction) {
  auto next = entries.upper_bound(instruction);
  return next == entries.begin() ? "" : std::prev(next)->second;
}

Place tally::checker::placeOf(const Subject &subject, uint32_t instruction) {
  Place place;
  place.instruction = instruction;
  place.actor = "processor";
  if (instruction < subject.text.size())
    place.text = printed(subject.text[instruction], subject.machine);
  place.node = entryAt(subject.nodes, instruction);
  place.line = entryAt(subject.lines, instruction);
  return place;
}

static Place placeOfEvent(const Subject &subject, const Stream &stream,
                          EventId id) {
  const Event &event = stream.events[id];
  Place place = placeOf(subject, event.instruction);
  if (event.actor != stream.processor())
    place.actor = subject.machine.queues[event.actor].name;
  place.entry = event.position;
  return place;
}

static Overlap overlapOf(const Subject &subject, int64_t space,
                         isa::ByteRange bytes) {
  Overlap overlap;
  if (space == kRegisterSpace) {
    overlap.space = "x" + std::to_string(bytes.begin / 4);
    return overlap;
  }
  overlap.space = spaceName(subject, space);
  overlap.bytes = bytes;
  for (const Symbol &symbol : subject.symbols)
    if (symbol.space == space && symbol.offset <= bytes.begin &&
        bytes.begin < symbol.offset + symbol.bytes)
      overlap.symbol = symbol.name;
  return overlap;
}

/// Neighbours of one actor become one step.
static std::vector<ScheduleStep> stepsOf(const Subject &subject,
                                         const Stream &stream,
                                         const std::vector<EventId> &order) {
  std::vector<ScheduleStep> steps;
  for (size_t i = 0; i < order.size(); ++i) {
    const Event &event = stream.events[order[i]];
    bool goesOn = i > 0 && stream.events[order[i - 1]].actor == event.actor;
    if (!goesOn)
      steps.push_back({event.position, event.position, {}});
    steps.back().to = event.position;
    steps.back().last.instruction = order[i];
  }
  for (ScheduleStep &step : steps)
    step.last = placeOfEvent(subject, stream, step.last.instruction);
  return steps;
}

/// Whether it is the order of two events that is wrong.
static bool isAboutOrder(Rule rule) {
  return rule == Rule::Race || rule == Rule::Late || rule == Rule::Epoch ||
         rule == Rule::Tokens;
}

void tally::checker::explain(const Subject &subject, const Stream &stream,
                             const Finding &finding, Verdict &verdict) {
  verdict.isAccepted = false;
  verdict.rule = finding.rule;
  verdict.message = finding.message;
  verdict.hint = finding.hint;
  if (finding.instruction)
    verdict.first = placeOf(subject, *finding.instruction);
  if (finding.first != kNoEvent)
    verdict.first = placeOfEvent(subject, stream, finding.first);
  if (finding.second != kNoEvent)
    verdict.second = placeOfEvent(subject, stream, finding.second);
  if (finding.space)
    verdict.overlap = overlapOf(subject, *finding.space, finding.bytes);
  if (!isAboutOrder(finding.rule) || finding.second == kNoEvent)
    return;
  std::optional<Schedule> schedule =
      overtaking(stream, subject.machine, finding.first, finding.second);
  if (!schedule)
    return;
  verdict.schedule = stepsOf(subject, stream, schedule->order);
  verdict.scheduleNeedsDepth = schedule->needsDepth;
}

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

/// The next event that would change the value of a register, and where it is.
static std::string nextChange(const Subject &subject, const Stream &stream,
                              const Progress &progress, uint32_t reg) {
  for (EventId id = 0; id < stream.events.size(); ++id) {
    const Event &event = stream.events[id];
    if (event.kind != EventKind::Signal || event.sync != reg ||
        event.position <= progress.completed[event.actor])
      continue;
    bool isIssued = event.position <= progress.issued[event.actor];
    return "its next signal is entry " + std::to_string(event.position) +
           " of " + subject.machine.queues[event.actor].name +
           (isIssued ? "" : ", which the processor has not issued");
  }
  return "no signal of it is left";
}

static std::string whyBlocked(const Subject &subject, const Stream &stream,
                              const Progress &progress, EventId id) {
  const Event &event = stream.events[id];
  std::string reg = "register s" + std::to_string(event.sync);
  auto value = [&] { return std::to_string(progress.values[event.sync]); };
  auto next = [&] {
    return "; " + nextChange(subject, stream, progress, event.sync);
  };
  switch (event.kind) {
  case EventKind::Reach:
    return reg + " is " + value() + " and has to reach " +
           std::to_string(event.value) + next();
  case EventKind::Take:
    return reg + " has no token" + next();
  case EventKind::Test:
    return reg + " is not set" + next();
  case EventKind::Fence:
    return "it waits for queue " + subject.machine.queues[event.sync].name;
  case EventKind::FenceAll:
    return "it waits for all queues";
  default:
    return "it cannot issue: queue " +
           subject.machine.queues[event.actor].name + " is full with " +
           std::to_string(progress.issued[event.actor] -
                          progress.completed[event.actor]) +
           " entries";
  }
}

void tally::checker::explainDeadlock(const Subject &subject,
                                     const Stream &stream,
                                     const Progress &progress,
                                     Verdict &verdict) {
  verdict.isAccepted = false;
  verdict.rule = Rule::Deadlock;
  auto block = [&](EventId id, const Place &at) {
    verdict.blocked.push_back({at, whyBlocked(subject, stream, progress, id)});
  };
  for (uint32_t queue = 0; queue < stream.queues; ++queue)
    if (progress.completed[queue] < progress.issued[queue]) {
      EventId id = stream.actors[queue][progress.completed[queue]];
      block(id, placeOfEvent(subject, stream, id));
    }
  if (progress.processorAt != kNoEvent) {
    Place at = placeOfEvent(subject, stream, progress.processorAt);
    at.actor = "processor";
    if (stream.events[progress.processorAt].actor != stream.processor())
      at.entry = 0;
    block(progress.processorAt, at);
  }
  verdict.first = verdict.blocked.front().at;
  verdict.message =
      "the program hangs: " + std::to_string(verdict.blocked.size()) +
      (verdict.blocked.size() == 1 ? " actor does" : " actors do") +
      " not get on";
  verdict.hint = "issue what signals before what waits for it, or make the "
                 "distance smaller than the queue's depth";
}
