//===- MemoryJson.cpp - every byte of an accelerator, for programs --------===//

#include "tally/report/MemoryAccount.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally::report;
namespace json = llvm::json;

static void writeStorage(json::OStream &os, const StorageAccount &storage) {
  os.object([&] {
    os.attribute("name", json::fixUTF8(storage.name));
    os.attribute("node", json::fixUTF8(storage.node));
    os.attributeArray("writers", [&] {
      for (const std::string &writer : storage.writers)
        os.value(json::fixUTF8(writer));
    });
    os.attribute("bytes", storage.bytes);
    os.attribute("offset", storage.offset);
    os.attribute("views", storage.views);
    os.attribute("at_peak", storage.isAtPeak);
    if (storage.first >= 0) {
      os.attribute("first_command", storage.first);
      os.attribute("last_command", storage.last);
    }
    if (storage.lastReader < 0)
      return;
    os.attributeObject("last_reader", [&] {
      os.attribute("command", storage.lastReader);
      os.attribute("queue", storage.lastQueue);
      os.attribute("node", json::fixUTF8(storage.lastNode));
    });
  });
}

void tally::report::writeMemory(json::OStream &os,
                                const MemoryAccount &account) {
  os.object([&] {
    os.attribute("name", account.name);
    for (auto [name, bytes] : {std::pair("window", account.window),
                               std::pair("memory", account.memory),
                               std::pair("granted", account.granted)})
      if (bytes)
        os.attribute(name, *bytes);
    os.attribute("extent", account.extent);
    os.attribute("lower_bound", account.lowerBound);
    os.attribute("live_peak", account.livePeak);
    os.attribute("padding", account.padding);
    os.attributeObject("largest_hole", [&] {
      os.attribute("begin", account.holeBegin);
      os.attribute("end", account.holeEnd);
    });
    os.attribute("fragmentation", account.fragmentation);
    os.attributeArray("storages", [&] {
      for (const StorageAccount &storage : account.storages)
        writeStorage(os, storage);
    });
  });
}

void tally::report::writeGlobal(json::OStream &os,
                                const GlobalAccount &account) {
  os.attributeObject("global", [&] {
    os.attribute("total", account.total);
    os.attribute("window", account.window);
    os.attribute("widest_window", account.widest);
    if (account.budget)
      os.attribute("budget", *account.budget);
    os.attributeArray("regions", [&] {
      for (const RegionAccount &region : account.regions)
        os.object([&] {
          os.attribute("name", json::fixUTF8(region.name));
          os.attribute("number", region.number);
          os.attribute("bytes", region.bytes);
        });
    });
  });
}

void tally::report::writeTries(json::OStream &os,
                               const std::vector<TryAccount> &tries) {
  os.attributeArray("tries", [&] {
    for (const TryAccount &one : tries)
      os.object([&] {
        os.attribute("choices", one.choices);
        if (one.cycles)
          os.attribute("cycles", *one.cycles);
        if (one.globalBytes > 0)
          os.attribute("global_bytes", one.globalBytes);
        os.attribute("outcome", json::fixUTF8(one.outcome));
      });
  });
}

void tally::report::writeShortage(llvm::raw_ostream &stream,
                                  const Shortage &shortage) {
  json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attributeObject("refused", [&] {
      os.attribute("rule", shortage.rule);
      os.attribute("message", json::fixUTF8(shortage.message));
      os.attribute("hint", json::fixUTF8(shortage.hint));
      os.attribute("limit", shortage.limit);
      os.attribute("memory", shortage.memory);
      os.attribute("needed", shortage.needed);
      os.attribute("allowed", shortage.allowed);
      os.attributeArray("remedies", [&] {
        for (const std::string &remedy : shortage.remedies)
          os.value(remedy);
      });
    });
    os.attributeArray("memories", [&] {
      for (const MemoryAccount &memory : shortage.memories)
        writeMemory(os, memory);
    });
    writeGlobal(os, shortage.global);
    writeTries(os, shortage.tries);
  });
  stream << "\n";
}
