//===- MemoryText.cpp - every byte of an accelerator, for people ----------===//

#include "tally/report/MemoryAccount.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace tally::report;

static constexpr size_t kMostShown = 10;

static std::string nodeText(const std::string &node) {
  return node.empty() ? "inputs and outputs" : node;
}

static void printStorage(llvm::raw_ostream &os, const StorageAccount &storage) {
  os << "    " << storage.name << ": " << storage.bytes << " bytes at "
     << storage.offset << ", of " << nodeText(storage.node);
  if (storage.first >= 0)
    os << ", commands " << storage.first << " to " << storage.last;
  os << ", " << storage.views << (storage.views == 1 ? " view" : " views");
  if (storage.lastReader >= 0)
    os << "; last read by " << storage.lastReader << " on " << storage.lastQueue
       << " for " << nodeText(storage.lastNode);
  os << "\n";
}

static void printStorages(llvm::raw_ostream &os, const MemoryAccount &account,
                          bool all) {
  size_t shown = 0, wanted = 0;
  for (const StorageAccount &storage : account.storages) {
    if (!all && !storage.isAtPeak)
      continue;
    if (++wanted > kMostShown && !all)
      continue;
    printStorage(os, storage);
    ++shown;
  }
  if (wanted > shown)
    os << "    and " << wanted - shown << " more\n";
}

void tally::report::printMemory(llvm::raw_ostream &os,
                                const MemoryAccount &account, bool all) {
  os << "  " << account.name << ":";
  for (auto [name, bytes] : {std::pair("window", account.window),
                             std::pair("memory", account.memory),
                             std::pair("granted", account.granted)})
    if (bytes)
      os << " " << name << " " << *bytes << ",";
  os << " extent " << account.extent << ", live at the peak "
     << account.livePeak << "\n    largest hole "
     << account.holeEnd - account.holeBegin << " at " << account.holeBegin
     << ", fragmentation " << account.fragmentation << ", padding "
     << account.padding << "\n";
  if (account.storages.empty())
    return;
  os << (all ? "   storages:\n" : "   at the peak:\n");
  printStorages(os, account, all);
}

void tally::report::printGlobal(llvm::raw_ostream &os,
                                const GlobalAccount &account) {
  os << "global memory: " << account.total << " bytes of ";
  if (account.budget)
    os << "a budget of " << *account.budget;
  else
    os << "the " << account.window << " that addresses express";
  for (const RegionAccount &region : account.regions)
    os << (&region == &account.regions.front() ? ": " : ", ") << region.name
       << " " << region.bytes;
  os << "\n";
}

void tally::report::printTries(llvm::raw_ostream &os,
                               const std::vector<TryAccount> &tries) {
  for (const TryAccount &one : tries) {
    os << "  " << one.choices;
    if (one.cycles)
      os << ": " << *one.cycles << " cycles";
    os << ", " << one.outcome << "\n";
  }
}

void tally::report::printShortage(llvm::raw_ostream &os,
                                  const Shortage &shortage) {
  os << shortage.memory << " is short: " << shortage.limit << ", "
     << shortage.needed << " of " << shortage.allowed << " bytes ["
     << shortage.rule << "]\n";
  for (const MemoryAccount &memory : shortage.memories)
    printMemory(os, memory, false);
  printGlobal(os, shortage.global);
  os << "tried:\n";
  printTries(os, shortage.tries);
  for (const std::string &remedy : shortage.remedies)
    os << "fits with " << remedy << "\n";
}
