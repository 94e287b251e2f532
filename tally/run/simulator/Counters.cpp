//===- Counters.cpp - what a run took -------------------------------------===//

#include "tally/run/simulator/Counters.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace tally::simulator;
namespace json = llvm::json;

int64_t Counters::macs() const {
  int64_t all = 0;
  for (const QueueCounters &queue : queues)
    all += queue.macs;
  return all;
}

static int64_t sumOf(const std::map<int64_t, int64_t> &waiting) {
  int64_t all = 0;
  for (auto [reg, cycles] : waiting)
    all += cycles;
  return all;
}

static double percent(int64_t part, int64_t whole) {
  return whole ? 100.0 * double(part) / double(whole) : 0;
}

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

static void printProcessor(llvm::raw_ostream &os, const Counters &counters) {
  const ProcessorCounters &processor = counters.processor;
  os << "processor: " << processor.instructions << " instructions, "
     << processor.executing << " cycles; waited for fences " << processor.fence;
  for (size_t i = 0; i < processor.full.size(); ++i)
    if (processor.full[i])
      os << ", for room in " << counters.queues[i].name << " "
         << processor.full[i];
  os << "\n";
}

static void printQueue(llvm::raw_ostream &os, const QueueCounters &queue,
                       int64_t cycles) {
  os << llvm::format("  %-12s %8lld %12lld %5.1f %% %12lld %12lld %12lld",
                     queue.name.c_str(), (long long)queue.commands,
                     (long long)queue.busy, percent(queue.busy, cycles),
                     (long long)sumOf(queue.waiting), (long long)queue.empty,
                     (long long)queue.slowed);
  if (queue.macs)
    os << llvm::format("  %lld MAC, %.1f %% of the array",
                       (long long)queue.macs,
                       percent(queue.macs, queue.peakMacs));
  os << "\n";
}

void tally::simulator::printCounters(llvm::raw_ostream &os,
                                     const Counters &counters) {
  os << counters.cycles << " cycles, "
     << llvm::format("%.3f us", 1e6 * counters.seconds) << "\n";
  printProcessor(os, counters);
  os << llvm::format("  %-12s %8s %12s %7s %12s %12s %12s\n", "queue",
                     "commands", "busy", "", "waiting", "empty", "slowed");
  for (const QueueCounters &queue : counters.queues)
    printQueue(os, queue, counters.cycles);
  os << "  memory             bytes read  bytes written\n";
  for (const SpaceCounters &space : counters.spaces)
    os << llvm::format("  %-16s %12lld %14lld\n", space.name.c_str(),
                       (long long)space.read, (long long)space.written);
}

static void printNode(llvm::raw_ostream &os, const NodeCounters &node) {
  os << llvm::format("  %12lld %12lld %8lld", (long long)node.begin,
                     (long long)node.end, (long long)node.commands);
  for (int64_t cycles : node.running)
    os << llvm::format(" %12lld", (long long)cycles);
  os << llvm::format(" %12lld  ", (long long)node.waiting) << node.name << "\n";
}

void tally::simulator::printNodes(llvm::raw_ostream &os,
                                  const Counters &counters) {
  os << llvm::format("  %12s %12s %8s", "begin", "end", "commands");
  for (tally::machine::EngineKind kind : kEngineKinds)
    os << llvm::format(" %12s", std::string(engineKindName(kind)).c_str());
  os << llvm::format(" %12s  node\n", "waiting");
  for (const NodeCounters &node : counters.nodes)
    printNode(os, node);
}

//===----------------------------------------------------------------------===//
// For programs
//===----------------------------------------------------------------------===//

static void writeQueue(json::OStream &os, const QueueCounters &queue) {
  os.object([&] {
    os.attribute("name", queue.name);
    os.attribute("commands", queue.commands);
    os.attribute("busy", queue.busy);
    os.attribute("empty", queue.empty);
    os.attribute("slowed", queue.slowed);
    os.attributeObject("waiting", [&] {
      for (auto [reg, cycles] : queue.waiting)
        os.attribute(std::to_string(reg), cycles);
    });
    os.attribute("macs", queue.macs);
    os.attribute("peak_macs", queue.peakMacs);
  });
}

static void writeProcessor(json::OStream &os, const Counters &counters) {
  const ProcessorCounters &processor = counters.processor;
  os.attributeObject("processor", [&] {
    os.attribute("instructions", processor.instructions);
    os.attribute("executing", processor.executing);
    os.attribute("fence", processor.fence);
    os.attributeObject("full", [&] {
      for (size_t i = 0; i < processor.full.size(); ++i)
        if (processor.full[i])
          os.attribute(counters.queues[i].name, processor.full[i]);
    });
  });
}

static void writeNode(json::OStream &os, const NodeCounters &node) {
  os.object([&] {
    os.attribute("name", json::fixUTF8(node.name));
    os.attribute("commands", node.commands);
    os.attribute("begin", node.begin);
    os.attribute("end", node.end);
    os.attributeObject("running", [&] {
      for (tally::machine::EngineKind kind : kEngineKinds)
        os.attribute(engineKindName(kind), node.running[size_t(kind)]);
    });
    os.attribute("waiting", node.waiting);
  });
}

void tally::simulator::writeCounters(json::OStream &os,
                                     const Counters &counters) {
  os.attribute("cycles", counters.cycles);
  os.attribute("seconds", counters.seconds);
  writeProcessor(os, counters);
  os.attributeArray("queues", [&] {
    for (const QueueCounters &queue : counters.queues)
      writeQueue(os, queue);
  });
  os.attributeArray("memories", [&] {
    for (const SpaceCounters &space : counters.spaces)
      os.object([&] {
        os.attribute("name", json::fixUTF8(space.name));
        os.attribute("read", space.read);
        os.attribute("written", space.written);
      });
  });
  os.attributeArray("nodes", [&] {
    for (const NodeCounters &node : counters.nodes)
      writeNode(os, node);
  });
}
