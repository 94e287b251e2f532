//===- Fault.h - what stops a program ---------------------------*- C++ -*-===//
//
// Rules (FailureKind::Model):
//   SIM-CODE       the processor executes instructions of the program's text,
//                  with registers that it has
//   SIM-UNMAPPED   every byte that is touched lies in a region that is bound,
//   in
//                  the SRAM or in the accumulators
//   SIM-ALIGN      an element begins at a multiple of its size
//   SIM-UNWRITTEN  what is read was written before: bytes and scalar registers
//   SIM-READONLY   constants and inputs are not written
//   SIM-FIELD      a command with its fields keeps the rules of
//                  tally/emit/isa/Command.h, and a staged field its range
//   SIM-DATA       parameters in memory are a block of the kind that the
//   command
//                  needs, and arithmetic stays within its width
//   SIM-SYNC       synchronization registers are used as the machine has them
//   SIM-OVERFLOW   no counter or token is signalled beyond its largest value
//   SIM-HANG       something still happens, within the limits of the run
//   SIM-LIMIT      a command has at most 2^26 elements, terms or results, and
//                  takes at most 2^28 cycles: what is more would not end here
//   SIM-EBREAK     the program does not end itself with ebreak
//   SIM-AUDIT      a command touches the bytes that its declared effects list
//   SIM-INJECTED   an engine fails because the run was asked for that
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUN_SIMULATOR_FAULT_H
#define TALLY_RUN_SIMULATOR_FAULT_H

#include "tally/support/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm::json {
class OStream;
}

namespace tally::simulator {

namespace rule {
inline constexpr char kCode[] = "SIM-CODE";
inline constexpr char kUnmapped[] = "SIM-UNMAPPED";
inline constexpr char kAlign[] = "SIM-ALIGN";
inline constexpr char kUnwritten[] = "SIM-UNWRITTEN";
inline constexpr char kReadOnly[] = "SIM-READONLY";
inline constexpr char kField[] = "SIM-FIELD";
inline constexpr char kData[] = "SIM-DATA";
inline constexpr char kSync[] = "SIM-SYNC";
inline constexpr char kOverflow[] = "SIM-OVERFLOW";
inline constexpr char kHang[] = "SIM-HANG";
inline constexpr char kLimit[] = "SIM-LIMIT";
inline constexpr char kEbreak[] = "SIM-EBREAK";
inline constexpr char kAudit[] = "SIM-AUDIT";
inline constexpr char kInjected[] = "SIM-INJECTED";
} // namespace rule

/// A broken rule (above), and how.
struct Wrong {
  const char *rule = "";
  std::string message;
};

/// One stopped run.
struct Fault {
  std::string rule, message;
  uint32_t pc = 0;         ///< of the instruction at fault
  std::string instruction; ///< as assembly text
  std::string node;        ///< of the model; may be empty
  std::string line;        ///< of assembly, "conv.s:12"; may be empty
  std::string queue;       ///< whose entry it was; empty: the processor
  int64_t time = 0;        ///< in cycles
  /// Every queue's state, a line each, and the processor's first.
  std::vector<std::string> state;

  /// All of it: a paragraph, and the lines of `state` as its hint.
  Diagnostic diagnostic() const;
};

/// The members of an open JSON object.
void writeFault(llvm::json::OStream &os, const Fault &fault);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_FAULT_H
