//===- SyncAccount.h - every synchronization register -----------*- C++ -*-===//

#ifndef TALLY_REPORT_SYNCACCOUNT_H
#define TALLY_REPORT_SYNCACCOUNT_H

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
namespace json {
class OStream;
}
} // namespace llvm

namespace tally::report {

/// A command whose signal excludes those of the others in the list.
struct SignalAccount {
  std::string command; ///< place in the order of issue, and node
  std::string queue;
  int64_t waiters = 0, lastWaiter = 0; ///< how many; the last one's place
  int64_t slack = 0; ///< cycles from the signal to the first waiter's start
};

/// What a file of so many registers would take.
struct RegisterPrice {
  int64_t registers = 0, cycles = 0;
  std::string method;
};

/// Registers are counted for the key that needs most. Times are cycles, by the
/// planner's prediction.
struct SyncAccount {
  std::string kind;                    ///< "counter", "token", "flag"
  int64_t dependencies = 0, edges = 0; ///< as given; that need a signal
  int64_t usable = 0, needed = 0;      ///< needed: with no order added
  int64_t lowerBound = 0;              ///< nothing less can be enough
  std::string proof;  ///< of the bound; where it is not `needed`, a bracket
  std::string method; ///< how the registers suffice
  int64_t addedOrder = 0, drains = 0, waits = 0;
  int64_t cycles = 0, unlimited = 0, serial = 0;
  std::vector<SignalAccount> pressure;
  std::vector<RegisterPrice> prices; ///< ascending registers
};

/// Without `all`, no more than four that cause pressure.
void printSync(llvm::raw_ostream &os, const SyncAccount &account, bool all);
/// As a value.
void writeSync(llvm::json::OStream &os, const SyncAccount &account);

} // namespace tally::report

#endif // TALLY_REPORT_SYNCACCOUNT_H
