//===- ScheduleText.cpp - what each node was given, for people ------------===//

#include "tally/report/ScheduleAccount.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tally::report;

static constexpr size_t kMostShown = 10;

double ScheduleAccount::utilisation() const {
  double best = double(macsPerCycle) * double(cycles);
  return best > 0 ? double(macs) / best : 0;
}

static double percent(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * double(part) / double(whole) : 0;
}

static void printNode(llvm::raw_ostream &os, const NodeAccount &node) {
  os << "    " << (node.name.empty() ? "(inputs and outputs)" : node.name);
  if (!node.op.empty())
    os << " (" << node.op << ")";
  os << ": " << node.home;
  if (node.commands == 0) {
    os << "\n";
    return;
  }
  os << ", " << node.commands << (node.commands == 1 ? " command" : " commands")
     << " in " << node.steps << (node.steps == 1 ? " step" : " steps")
     << " from " << node.firstStep;
  for (auto [name, cycles] :
       {std::pair("dma", node.dma), std::pair("matrix", node.matrix),
        std::pair("vector", node.vector)})
    if (cycles > 0)
      os << ", " << name << " " << cycles;
  if (node.macs > 0)
    os << ", " << node.macs << " MAC";
  os << "\n";
}

static void printNodes(llvm::raw_ostream &os, const ScheduleAccount &account,
                       bool all) {
  std::vector<const NodeAccount *> nodes;
  nodes.reserve(account.nodes.size());
  for (const NodeAccount &node : account.nodes)
    nodes.push_back(&node);
  if (!all) {
    auto cycles = [](const NodeAccount *node) {
      return node->dma + node->matrix + node->vector;
    };
    std::sort(nodes.begin(), nodes.end(), [&](auto *a, auto *b) {
      return cycles(a) != cycles(b) ? cycles(a) > cycles(b) : a < b;
    });
    nodes.resize(std::min(nodes.size(), kMostShown));
  }
  os << (all ? "  nodes:\n" : "  nodes that take most cycles:\n");
  for (const NodeAccount *node : nodes)
    printNode(os, *node);
  if (nodes.size() < account.nodes.size())
    os << "    and " << account.nodes.size() - nodes.size() << " more\n";
}

void tally::report::printSchedule(llvm::raw_ostream &os,
                                  const ScheduleAccount &account, bool all) {
  os << "  " << account.cycles << " cycles estimated; " << account.macs
     << " MAC, " << llvm::format("%.1f %%", 100 * account.utilisation())
     << " of the array\n";
  for (const EngineAccount &engine : account.engines)
    os << "    " << engine.queue << ": " << engine.busy << " cycles, "
       << llvm::format("%.1f %%", percent(engine.busy, account.cycles)) << "\n";
  os << "  global memory: " << account.globalRead << " bytes read, "
     << account.globalWrite << " written; copies move " << account.moved << ", "
     << llvm::format("%.2f", percent(account.moved, account.least) / 100)
     << " of the " << account.least << " that have to cross\n"
     << "  choices: " << account.choices << "\n";
  if (all) {
    os << "  tried:\n";
    printTries(os, account.tries);
  }
  printNodes(os, account, all);
}
