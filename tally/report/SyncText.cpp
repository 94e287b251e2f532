//===- SyncText.cpp - every synchronization register, as text and JSON ----===//

#include "tally/report/SyncAccount.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally::report;
namespace json = llvm::json;

static constexpr size_t kMostShown = 4;

static void printPressure(llvm::raw_ostream &os, const SyncAccount &account,
                          bool all) {
  if (account.pressure.empty())
    return;
  os << "  cannot share with each other:\n";
  for (const SignalAccount &signal : account.pressure) {
    if (!all && &signal - account.pressure.data() == kMostShown) {
      os << "    and " << account.pressure.size() - kMostShown << " more\n";
      break;
    }
    os << "    " << signal.command << " on " << signal.queue << ", "
       << signal.waiters << (signal.waiters == 1 ? " waiter" : " waiters")
       << ", the last " << signal.lastWaiter << ", slack " << signal.slack
       << "\n";
  }
}

void tally::report::printSync(llvm::raw_ostream &os, const SyncAccount &account,
                              bool all) {
  os << "  " << account.edges << " of " << account.dependencies
     << " dependencies need a signal; " << account.kind
     << "s: " << account.needed << " needed";
  if (account.lowerBound < account.needed)
    os << " (at least " << account.lowerBound << ")";
  else
    os << " (no fewer, proof: " << account.proof << ")";
  os << ", " << account.usable << " usable\n";
  os << "  plan: " << account.method << ", " << account.waits << " waits, "
     << account.addedOrder << " edges and " << account.drains
     << " drains added; " << account.cycles << " cycles, " << account.unlimited
     << " with registers plenty\n";
  printPressure(os, account, all);
  for (const RegisterPrice &price : account.prices)
    os << "  " << price.registers
       << (price.registers == 1 ? " register: " : " registers: ")
       << price.cycles << " cycles (" << price.method << ")\n";
}

static void writePressure(json::OStream &os, const SyncAccount &account) {
  os.attributeArray("pressure", [&] {
    for (const SignalAccount &signal : account.pressure)
      os.object([&] {
        os.attribute("command", json::fixUTF8(signal.command));
        os.attribute("queue", signal.queue);
        os.attribute("waiters", signal.waiters);
        os.attribute("last_waiter", signal.lastWaiter);
        os.attribute("slack", signal.slack);
      });
  });
}

void tally::report::writeSync(json::OStream &os, const SyncAccount &account) {
  os.object([&] {
    os.attribute("kind", account.kind);
    os.attribute("proof", account.proof);
    os.attribute("method", account.method);
    for (auto [name, number] :
         {std::pair("dependencies", account.dependencies),
          std::pair("edges", account.edges),
          std::pair("usable", account.usable),
          std::pair("needed", account.needed),
          std::pair("lower_bound", account.lowerBound),
          std::pair("added_order", account.addedOrder),
          std::pair("drains", account.drains),
          std::pair("waits", account.waits),
          std::pair("cycles", account.cycles),
          std::pair("unlimited_cycles", account.unlimited),
          std::pair("serial_cycles", account.serial)})
      os.attribute(name, number);
    writePressure(os, account);
    os.attributeArray("prices", [&] {
      for (const RegisterPrice &price : account.prices)
        os.object([&] {
          os.attribute("registers", price.registers);
          os.attribute("cycles", price.cycles);
          os.attribute("method", price.method);
        });
    });
  });
}
