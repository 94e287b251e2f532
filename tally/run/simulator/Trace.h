//===- Trace.h - what happened when -----------------------------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_TRACE_H
#define TALLY_RUN_SIMULATOR_TRACE_H

#include "tally/machine/Machine.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace llvm {
class raw_ostream;
}

namespace tally::simulator {

/// A span of cycles of a queue or the processor, [begin, end).
struct TraceSpan {
  /// Place in Machine::queues, or kProcessor.
  static constexpr int32_t kProcessor = -1;
  int32_t lane = kProcessor;
  int64_t issued = 0, begin = 0, end = 0;
  std::string_view name;   ///< short: "conv", "wait.ge", "fence", "full mat"
  std::string_view text;   ///< the instruction
  std::string_view source; ///< node or source line; may be empty
  uint32_t pc = 0;
};

/// Is told of every span when it ends.
class TraceSink {
public:
  virtual ~TraceSink() = default;
  virtual void add(const TraceSpan &span) = 0;
  /// The run is over, at that time.
  virtual void finish(int64_t cycles) = 0;
};

/// One line for each span: begin, end, lane, pc, text, source.
std::unique_ptr<TraceSink> textTrace(llvm::raw_ostream &os,
                                     const machine::Machine &machine);

/// JSON in the Trace Event Format, which Perfetto and chrome://tracing open: a
/// thread for the processor and one for each queue, times in microseconds of
/// the machine's clock.
std::unique_ptr<TraceSink> jsonTrace(llvm::raw_ostream &os,
                                     const machine::Machine &machine);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_TRACE_H
