//===- SegmentRun.h - runs a model in segments ------------------*- C++ -*-===//
//
// The accelerator's segments in the simulator, the host's as native code,
// linked in memory. Tensors cross borders as the bytes they are: codes as
// codes.
//
// Rules:
//   SEG-5  a segment's code takes and gives the tensors that the manifest
//          states, by number, type, shape and bytes (Model)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_FALLBACK_SEGMENTRUN_H
#define TALLY_DRIVER_FALLBACK_SEGMENTRUN_H

#include "tally/driver/RunReport.h"
#include "tally/driver/SimulatedProgram.h"
#include "tally/runtime/Context.h"
#include "tally/runtime/SegmentFile.h"

#include <functional>
#include <variant>

namespace tally {

/// The machine to run a program on.
using MachineChoice =
    std::function<Result<machine::Machine>(const isa::Program &)>;

/// The program of an accelerator's segment; `path` is the archive's.
Result<isa::Program> programOf(const runtime::Segment &segment,
                               const std::string &path);

class SegmentRun {
public:
  /// Loads all code: SEG-5, and the rules of programs, objects and machines.
  static Result<SegmentRun> load(runtime::SegmentFile file,
                                 const std::string &path,
                                 const MachineChoice &machineFor);

  /// The model's own, states apart.
  std::vector<runtime::TensorInterface> inputs() const;
  std::vector<runtime::TensorInterface> outputs() const;

  /// What goes on from run to run.
  SimulatedStates &states() { return theStates; }

  /// One run on tensors for `inputs()`; one tensor per output. A fault of the
  /// simulator is a failure, and leaves the states as they were.
  Result<std::vector<eval::Tensor>> run(const std::vector<eval::Tensor> &inputs,
                                        const simulator::RunOptions &options);

  /// What ran where in the last run.
  const std::vector<SegmentReport> &reports() const { return done; }

private:
  using Code = std::variant<runtime::Context, SimulatedProgram>;

  SegmentRun(runtime::SegmentFile file, std::string path)
      : file(std::move(file)), path(std::move(path)),
        theStates(this->file.states) {}
  std::vector<runtime::TensorInterface>
  tensorsOf(const std::vector<int64_t> &numbers) const;
  Result<Code> loadHost(const runtime::Segment &segment) const;
  Result<Code> loadProgram(const runtime::Segment &segment,
                           const MachineChoice &machineFor) const;
  Result<std::vector<eval::Tensor>>
  runAll(const std::vector<eval::Tensor> &inputs,
         const simulator::RunOptions &options);
  Result<std::vector<eval::Tensor>>
  runSegment(size_t number, const std::vector<eval::Tensor> &inputs,
             const simulator::RunOptions &options);

  runtime::SegmentFile file;
  std::string path;
  SimulatedStates theStates;
  std::vector<Code> codes; ///< by segment
  std::vector<SegmentReport> done;
};

} // namespace tally

#endif // TALLY_DRIVER_FALLBACK_SEGMENTRUN_H
