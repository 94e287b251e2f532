//===- ScheduleJson.cpp - what each node was given, for programs ----------===//

#include "tally/report/ScheduleAccount.h"

#include "llvm/Support/JSON.h"

using namespace tally::report;
namespace json = llvm::json;

static void writeNode(json::OStream &os, const NodeAccount &node) {
  os.object([&] {
    os.attribute("node", json::fixUTF8(node.name));
    os.attribute("op", node.op);
    os.attribute("home", node.home);
    for (auto [name, number] :
         {std::pair("first_step", node.firstStep),
          std::pair("steps", node.steps), std::pair("commands", node.commands),
          std::pair("macs", node.macs), std::pair("dma_cycles", node.dma),
          std::pair("matrix_cycles", node.matrix),
          std::pair("vector_cycles", node.vector),
          std::pair("global_read", node.globalRead),
          std::pair("global_write", node.globalWrite)})
      os.attribute(name, number);
  });
}

void tally::report::writeSchedule(json::OStream &os,
                                  const ScheduleAccount &account) {
  os.object([&] {
    os.attribute("machine", account.machine);
    os.attribute("choices", account.choices);
    for (auto [name, number] :
         {std::pair("cycles", account.cycles), std::pair("macs", account.macs),
          std::pair("macs_per_cycle", account.macsPerCycle),
          std::pair("global_read", account.globalRead),
          std::pair("global_write", account.globalWrite),
          std::pair("moved", account.moved),
          std::pair("least_moved", account.least)})
      os.attribute(name, number);
    os.attribute("utilisation", account.utilisation());
    os.attributeArray("engines", [&] {
      for (const EngineAccount &engine : account.engines)
        os.object([&] {
          os.attribute("queue", engine.queue);
          os.attribute("busy_cycles", engine.busy);
        });
    });
    os.attributeArray("nodes", [&] {
      for (const NodeAccount &node : account.nodes)
        writeNode(os, node);
    });
    writeTries(os, account.tries);
  });
}
