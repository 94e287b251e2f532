//===- RunReport.h - what a run shows ---------------------------*- C++ -*-===//

#ifndef TALLY_DRIVER_RUNREPORT_H
#define TALLY_DRIVER_RUNREPORT_H

#include "tally/run/simulator/Counters.h"
#include "tally/runtime/Interface.h"

namespace llvm {
class raw_ostream;
}

namespace tally {

/// What comparing all nodes found; see AllNodes.h.
struct NodeReport {
  int64_t compared = 0, different = 0, missing = 0;
  std::string firstNode, firstTensor, firstText;
};

/// One segment of a model that ran in parts.
struct SegmentReport {
  std::string target, member;
  std::optional<simulator::Counters> simulation; ///< of an accelerator's
};

struct RunReport {
  /// "cpu", "eval", the machine's name, or "segments".
  std::string target;
  std::vector<runtime::TensorInterface> outputs;
  std::vector<eval::Tensor> tensors; ///< one per output
  std::vector<std::string> files;    ///< one per output, or none
  bool compared = false;
  std::vector<std::string> outputDifferences; ///< empty text: equal
  /// Of states after the last step, by name; likewise.
  std::vector<std::pair<std::string, std::string>> stateDifferences;
  std::optional<NodeReport> nodes;
  std::optional<simulator::Counters> simulation; ///< of a program
  std::vector<SegmentReport> segments;           ///< of a model in segments
  bool byNode = false;                           ///< print what each node took

  bool differs() const;
};

/// For people, and as one JSON object with "version": 1.
void printReport(llvm::raw_ostream &os, const RunReport &report);
void writeReport(llvm::raw_ostream &os, const RunReport &report);

} // namespace tally

#endif // TALLY_DRIVER_RUNREPORT_H
