//===- MemoryAccount.h - every byte of an accelerator -----------*- C++ -*-===//
//
// Four numbers that are often taken for one another are always told together:
// the window that addresses can express, the extent that is allocated, the
// bytes that live at one time, the budget that is granted. All are bytes;
// commands are numbered in the order of issue, ranges of them include both
// ends.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REPORT_MEMORYACCOUNT_H
#define TALLY_REPORT_MEMORYACCOUNT_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
}
} // namespace llvm

namespace tally::report {

/// One storage and whose it is. Nodes are the model's own; empty where inputs
/// and outputs are moved.
struct StorageAccount {
  std::string name, node;
  std::vector<std::string> writers; ///< nodes
  int64_t bytes = 0, offset = 0;
  int64_t views = 0;             ///< different ways that commands see it
  int64_t first = -1, last = -1; ///< commands that use it; -1: none
  int64_t lastReader = -1;       ///< a command; -1: nothing reads it
  std::string lastQueue, lastNode;
  bool isAtPeak = false;
};

struct MemoryAccount {
  std::string name;               ///< "SRAM", "accumulators", "arena"
  std::optional<int64_t> window;  ///< addresses end here
  std::optional<int64_t> memory;  ///< it ends here
  std::optional<int64_t> granted; ///< what is left of the budget for it
  int64_t extent = 0, lowerBound = 0, livePeak = 0, padding = 0;
  int64_t holeBegin = 0, holeEnd = 0; ///< the largest at the peak
  int64_t fragmentation = 0;          ///< extent beyond the lower bound
  std::vector<StorageAccount> storages;
};

struct RegionAccount {
  std::string name;
  int64_t number = 0, bytes = 0;
};

/// Global memory: what a call binds.
struct GlobalAccount {
  std::vector<RegionAccount> regions;
  int64_t total = 0;              ///< in multiples of the alignment
  int64_t window = 0, widest = 0; ///< all that addresses express; one window
  std::optional<int64_t> budget;  ///< granted; without one the window is
  int64_t granted() const { return budget.value_or(window); }
};

/// One schedule that was made in search of one that fits.
struct TryAccount {
  std::string choices;
  std::optional<int64_t> cycles; ///< estimated
  int64_t globalBytes = 0;       ///< that it takes; 0: unknown
  std::string outcome;           ///< "fits", or why not
};

/// A plan that does not fit, and what would.
struct Shortage {
  std::string rule, message, hint;
  std::string limit;  ///< "window", "live", "budget", "extent"
  std::string memory; ///< which is full
  int64_t needed = 0, allowed = 0;
  std::vector<MemoryAccount> memories; ///< those planned, the full one last
  GlobalAccount global;
  std::vector<TryAccount> tries;
  std::vector<std::string> remedies; ///< each was planned
};

/// Without `all`, of the storages those at the peak, and no more than ten.
void printMemory(llvm::raw_ostream &os, const MemoryAccount &account, bool all);
void printGlobal(llvm::raw_ostream &os, const GlobalAccount &account);
void printTries(llvm::raw_ostream &os, const std::vector<TryAccount> &tries);
void printShortage(llvm::raw_ostream &os, const Shortage &shortage);

/// As a value.
void writeMemory(llvm::json::OStream &os, const MemoryAccount &account);
/// As the attribute "global".
void writeGlobal(llvm::json::OStream &os, const GlobalAccount &account);
/// As the attribute "tries".
void writeTries(llvm::json::OStream &os, const std::vector<TryAccount> &tries);
/// One JSON object with "version": 1.
void writeShortage(llvm::raw_ostream &os, const Shortage &shortage);

} // namespace tally::report

#endif // TALLY_REPORT_MEMORYACCOUNT_H
