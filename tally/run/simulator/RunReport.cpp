//===- RunReport.cpp - what a run tells -----------------------------------===//

#include "tally/emit/asm/Text.h"
#include "tally/run/simulator/Run.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>

using namespace tally;
using namespace tally::simulator;

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

std::string Run::textAt(uint32_t pc) const {
  std::optional<size_t> place = code.find(pc);
  if (!place || !code.instructions[*place])
    return "";
  return isa::textOf(*code.instructions[*place], machine);
}

std::string Run::nodeAt(uint32_t pc) const {
  std::optional<size_t> place = code.find(pc);
  return place ? code.nodes[*place] : "";
}

std::string Run::lineAt(uint32_t pc) const {
  std::optional<size_t> place = code.find(pc);
  return place ? code.lines[*place] : "";
}

/// "conv1 conv.s:12", as much of it as is known.
std::string Run::sourceAt(uint32_t pc) const {
  std::string node = nodeAt(pc), line = lineAt(pc);
  return node.empty() || line.empty() ? node + line : node + " " + line;
}

Fault Run::faultAt(uint32_t pc, Wrong wrong) const {
  Fault result;
  result.rule = wrong.rule;
  result.message = std::move(wrong.message);
  result.pc = pc;
  result.instruction = textAt(pc);
  result.node = nodeAt(pc);
  result.line = lineAt(pc);
  result.state = describeState();
  return result;
}

void Run::fail(Wrong wrong) {
  if (fault)
    return;
  fault = faultAt(current, std::move(wrong));
  fault->time = clock;
}

void Run::failQueue(const QueueFault &wrong) {
  if (fault)
    return;
  fault = faultAt(wrong.entry.pc, wrong.wrong);
  fault->queue = machine.queues[wrong.queue].name;
  fault->time = timeline.now();
}

/// "mat: 2 of 4 entries, holds at 0x1c: wait.ge mat, s3, 5 (s3 is 4)"
std::string Run::describeQueue(uint32_t queue) const {
  std::vector<const Entry *> entries = timeline.entries(queue);
  std::string text = machine.queues[queue].name + ": ";
  if (entries.empty())
    return text + "empty";
  const Entry &first = *entries.front();
  text += std::to_string(entries.size()) + " of " +
          std::to_string(machine.engineOf(queue).depth) + " entries, ";
  text += timeline.isRunning(queue) ? "runs " : "holds at ";
  text += textAt(first.pc);
  if (first.sync >= 0)
    text += " (s" + std::to_string(first.sync) + " is " +
            std::to_string(sync.value(first.sync)) + ")";
  std::string source = sourceAt(first.pc);
  return source.empty() ? text : text + " of " + source;
}

std::vector<std::string> Run::describeState() const {
  std::vector<std::string> lines{"processor: pc 0x" +
                                 llvm::utohexstr(current, true) + ", cycle " +
                                 std::to_string(clock)};
  for (uint32_t queue = 0; queue < machine.queues.size(); ++queue)
    lines.push_back(describeQueue(queue));
  return lines;
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

void Run::completed(const Entry &entry, uint32_t queue, int64_t time) {
  int64_t begin = entry.started;
  if (!entry.isCommand()) // a wait begins when it is first in its queue
    begin = std::min(begin, std::max(entry.issued, freeSince[queue]));
  freeSince[queue] = time;
  countForNode(entry, queue, begin, time);
  if (!options.trace)
    return;
  std::string text = textAt(entry.pc), source = sourceAt(entry.pc);
  std::string_view name = entry.isCommand() ? entry.command.info().name
                                            : entry.instruction.info().mnemonic;
  options.trace->add({int32_t(queue), entry.issued, begin, time, name, text,
                      source, entry.pc});
}

void Run::traceProcessor(int64_t begin, const std::string &name) {
  if (!options.trace)
    return;
  std::string text = textAt(current), source = sourceAt(current);
  options.trace->add({TraceSpan::kProcessor, begin, begin, clock, name, text,
                      source, current});
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

void Run::nameNodes() {
  std::map<std::string, uint32_t> places;
  for (const std::string &name : code.nodes) {
    auto [place, isNew] =
        places.try_emplace(name, static_cast<uint32_t>(nodes.size()));
    nodeOf.push_back(place->second);
    if (isNew)
      nodes.emplace_back().name = name;
  }
}

void Run::countForNode(const Entry &entry, uint32_t queue, int64_t begin,
                       int64_t end) {
  std::optional<size_t> place = code.find(entry.pc);
  if (!place)
    return;
  NodeCounters &node = nodes[nodeOf[*place]];
  if (!entry.isCommand()) {
    if (entry.instruction.opcode != isa::Opcode::Signal)
      node.waiting += end - begin;
    return;
  }
  node.begin = node.commands == 0 ? begin : std::min(node.begin, begin);
  node.end = std::max(node.end, end);
  ++node.commands;
  node.running[size_t(machine.engineOf(queue).kind)] += end - begin;
}

/// Multiply-adds that an engine's array does in a cycle, depthwise apart.
static int64_t arraySize(const machine::Engine &engine) {
  return engine.kind == machine::EngineKind::Matrix
             ? engine.matrix.rows * engine.matrix.columns
             : 0;
}

Counters Run::collect() const {
  Counters result;
  result.cycles = isTimed() ? timeline.now() : 0;
  result.seconds = double(result.cycles) / double(machine.clockHz);
  result.processor = counts;
  for (uint32_t queue = 0; queue < machine.queues.size(); ++queue) {
    const QueueTimes &times = timeline.times(queue);
    result.queues.push_back(
        {machine.queues[queue].name, times.commands, times.busy, times.empty,
         times.waiting, times.slowed >> 10, macs[queue],
         arraySize(machine.engineOf(queue)) * result.cycles});
  }
  std::ranges::copy_if(nodes, std::back_inserter(result.nodes),
                       [](const NodeCounters &node) {
                         return node.commands != 0 && !node.name.empty();
                       });
  std::ranges::sort(result.nodes, {}, [](const NodeCounters &node) {
    return std::pair(node.begin, node.name);
  });
  for (size_t i = 0; i < Memory::kSpaces; ++i) {
    const Space &space = memory.space(int64_t(i));
    if (space.isMapped)
      result.spaces.push_back({space.name, moved[i].read, moved[i].written});
  }
  return result;
}
