//===- NpuNodes.cpp - what each node of a model was given -----------------===//

#include "tally/driver/NpuRecords.h"
#include "tally/ops/Cost.h"
#include "tally/ops/Ops.h"
#include "tally/schedule/Facts.h"
#include "tally/schedule/Traffic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <set>

using namespace tally;

namespace {
class NodeCollector {
public:
  NodeCollector(mlir::func::FuncOp function, const machine::Machine &machine);
  void add(npu::CommandOp command, const schedule::Work &work);
  std::vector<report::NodeAccount> take();

private:
  report::NodeAccount &node(const std::string &name);

  const machine::Machine &machine;
  std::vector<report::NodeAccount> nodes;
  std::vector<std::set<int64_t>> steps; ///< of each node
  llvm::StringMap<size_t> places;
};
} // namespace

static std::string opText(mlir::Operation &op) {
  auto name = [](mlir::Operation *one) {
    return one->getName().stripDialect().str();
  };
  auto fused = llvm::dyn_cast<nn::FusedOp>(op);
  if (!fused)
    return name(&op);
  std::vector<std::string> names;
  for (mlir::Operation *stage : fused.chain())
    names.push_back(name(stage));
  return llvm::join(names, "+");
}

NodeCollector::NodeCollector(mlir::func::FuncOp function,
                             const machine::Machine &machine)
    : machine(machine) {
  for (mlir::Operation &op : function.getBody().front().without_terminator()) {
    if (llvm::isa<nn::ConstantOp>(op))
      continue;
    report::NodeAccount &account = node(schedule::modelNode(&op));
    account.op += (account.op.empty() ? "" : ", ") + opText(op);
    account.macs += nn::multiplyAdds(&op).value_or(0);
  }
}

report::NodeAccount &NodeCollector::node(const std::string &name) {
  auto [place, isNew] = places.try_emplace(name, nodes.size());
  if (isNew) {
    nodes.emplace_back();
    steps.emplace_back();
    nodes.back().name = name;
    nodes.back().home = "view";
  }
  return nodes[place->second];
}

/// The farthest from SRAM that a node's commands write to.
static void addHome(npu::CommandOp command, std::string &home) {
  if (home == "view")
    home = "SRAM";
  npu::StorageOp result = npu::storageOf(command, "dst");
  if (!result || !isa::isRegion(int64_t(result.getSpace())) || home == "arena")
    return;
  home = result.getSpace() == isa::kArenaRegion ? "arena" : "output";
}

void NodeCollector::add(npu::CommandOp command, const schedule::Work &work) {
  report::NodeAccount &account = node(schedule::modelNode(command));
  ++account.commands;
  steps[places[account.name]].insert(int64_t(command.getStep()));
  addHome(command, account.home);
  switch (machine.engineOf(work.queue).kind) {
  case machine::EngineKind::Dma:
    account.dma += work.cycles;
    break;
  case machine::EngineKind::Matrix:
    account.matrix += work.cycles;
    break;
  case machine::EngineKind::Vector:
    account.vector += work.cycles;
    break;
  }
  account.globalRead += work.globalRead;
  account.globalWrite += work.globalWrite;
}

std::vector<report::NodeAccount> NodeCollector::take() {
  for (auto [account, seen] : llvm::zip(nodes, steps)) {
    account.firstStep = seen.empty() ? 0 : *seen.begin();
    account.steps = int64_t(seen.size());
  }
  return std::move(nodes);
}

static int64_t macsPerCycle(const machine::Machine &machine) {
  int64_t macs = 0;
  for (const machine::Engine &engine : machine.engines)
    if (engine.kind == machine::EngineKind::Matrix)
      macs += engine.count * engine.matrix.rows * engine.matrix.columns;
  return macs;
}

report::ScheduleAccount tally::scheduleOf(mlir::func::FuncOp function,
                                          const NpuPlan &plan,
                                          const machine::Machine &machine) {
  const schedule::Estimate &estimate = plan.found.estimate;
  report::ScheduleAccount account;
  account.machine = machine.name;
  account.choices = schedule::choicesText(plan.found.choices);
  account.cycles = estimate.cycles;
  account.macsPerCycle = macsPerCycle(machine);
  account.globalRead = estimate.globalRead;
  account.globalWrite = estimate.globalWrite;
  schedule::Traffic traffic = schedule::trafficOf(plan.program);
  account.moved = traffic.moved;
  account.least = traffic.least;
  for (size_t queue = 0; queue < machine.queues.size(); ++queue)
    account.engines.push_back(
        {machine.queues[queue].name, estimate.busy[queue]});
  NodeCollector nodes(function, machine);
  npu::ProgramOp program = plan.program;
  auto works = schedule::worksOf(program, machine);
  size_t next = 0;
  for (auto command : program.getBody().front().getOps<npu::CommandOp>())
    nodes.add(command, works[next++]);
  account.nodes = nodes.take();
  for (const report::NodeAccount &node : account.nodes)
    account.macs += node.macs;
  account.tries = triesOf(plan.found.tries);
  return account;
}
