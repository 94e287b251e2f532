//===- Segmenter.cpp - programs with segments on the host -----------------===//

#include "tally/driver/fallback/Segmenter.h"
#include "tally/cpu/CpuCompiler.h"
#include "tally/cpu/Description.h"
#include "tally/driver/CpuFusion.h"
#include "tally/driver/NpuPlan.h"
#include "tally/driver/NpuProof.h"
#include "tally/driver/Version.h"
#include "tally/driver/fallback/CompileSegments.h"
#include "tally/driver/fallback/SharedGraph.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/rewrite/Remarks.h"
#include "tally/rewrite/state/Place.h"
#include "tally/schedule/Schedule.h"
#include "tally/support/Progress.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace tally;
using runtime::HostReason;
using runtime::Segment;
using runtime::SegmentFile;
using schedule::PartitionSegment;
using schedule::Place;

/// As for a whole model, but nobody looks for what would make a refused segment
/// fit: it is cut.
static Result<isa::Program> compileFor(NpuArguments asked,
                                       mlir::ModuleOp module) {
  asked.search.findRemedies = false;
  PhaseRunner phases{PhaseControl()};
  auto plan = planForMachine(phases, module, asked, false);
  if (!plan)
    return plan.takeError();
  auto program = lowerForMachine(phases, module, asked, *plan);
  if (!program)
    return program;
  if (Status status = prove(*program, asked.machine); !status)
    return status.takeError();
  return program;
}

MachineJudge tally::judgeOf(const NpuArguments &asked) {
  MachineJudge judge;
  judge.target = asked.machine.name;
  judge.lower = [&](mlir::ModuleOp module) -> Status {
    auto choices = schedule::Choices::standard(asked.machine);
    auto program = schedule::schedule(module, asked.machine, choices);
    return program ? Status::success() : program.takeError();
  };
  judge.compile = [&](mlir::ModuleOp module) {
    return compileFor(asked, module);
  };
  return judge;
}

namespace {
class Segmenter {
public:
  Segmenter(mlir::ModuleOp module, const MachineJudge &judge,
            std::string symbol)
      : graph(mainFunction(module)), judge(judge), symbol(std::move(symbol)) {
    graph.parts.weighsBorders = judge.weighsBorders;
  }

  Result<SegmentFile> run();

private:
  Status judgeNodes();
  Result<bool> tryPrograms(const std::vector<PartitionSegment> &segments);
  void giveUp(const PartitionSegment &segment, const Diagnostic &refusal);
  void toHost(int64_t node, const Diagnostic &refusal);
  Result<schedule::Partition> settle();
  void remark(const PartitionSegment &segment, size_t place) const;
  void addReasons(const std::vector<schedule::CheapNode> &nodes);
  Result<std::vector<uint8_t>> hostCode(const PartitionSegment &segment,
                                        size_t place);
  Result<Segment> finish(const PartitionSegment &segment, size_t place,
                         llvm::ArrayRef<int64_t> numbers);
  Result<SegmentFile> finishAll(const schedule::Partition &partition);

  SharedGraph graph;
  const MachineJudge &judge;
  const std::string symbol;
  std::map<int64_t, HostReason> reasons; ///< by node
  /// Programs that were accepted, by their nodes: what a later cut leaves as it
  /// was is not made again.
  std::map<std::vector<int64_t>, std::vector<uint8_t>> programs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Who runs what
//===----------------------------------------------------------------------===//

void Segmenter::toHost(int64_t node, const Diagnostic &refusal) {
  graph.parts.nodes[size_t(node)].place = Place::Host;
  reasons[node] = {graph.nodeName(node), refusal.rule, refusal.message};
}

/// Lowers every node alone.
Status Segmenter::judgeNodes() {
  for (int64_t n = 0; n < int64_t(graph.parts.nodes.size()); ++n) {
    auto alone = graph.outline(n);
    Status status = judge.lower(*alone);
    if (status)
      continue;
    if (!isRefusal(status.error()))
      return status;
    toHost(n, status.error());
  }
  return Status::success();
}

/// After the machine refused a segment whose nodes it took alone.
void Segmenter::giveUp(const PartitionSegment &segment,
                       const Diagnostic &refusal) {
  bool isNamed = false;
  for (int64_t node : segment.nodes)
    if (graph.nodeName(node) == refusal.node) {
      toHost(node, refusal);
      isNamed = true;
    }
  if (!isNamed && !schedule::cut(graph.parts, segment))
    toHost(segment.nodes.front(), refusal);
}

/// Makes the programs that are not there yet. False when one was refused: the
/// graph is to be cut anew.
Result<bool>
Segmenter::tryPrograms(const std::vector<PartitionSegment> &segments) {
  for (const PartitionSegment &segment : segments) {
    if (segment.place == Place::Host || programs.contains(segment.nodes))
      continue;
    auto module = graph.outline(segment.nodes, segment.inputs, segment.outputs);
    auto program = judge.compile(*module);
    if (program) {
      programs[segment.nodes] = isa::writeProgram(*program);
      continue;
    }
    if (!isRefusal(program.error()))
      return program.takeError();
    giveUp(segment, program.error());
    return false;
  }
  return true;
}

/// Each round but the last gives a node to the host or raises floors. A node's
/// floor is at most one above the segment of a node before it, so floors stay
/// below the number of nodes and the rounds end.
Result<schedule::Partition> Segmenter::settle() {
  for (;;) {
    auto partition = schedule::partition(graph.parts);
    if (!partition)
      return partition;
    auto holds = tryPrograms(partition->segments);
    if (!holds)
      return holds.takeError();
    if (*holds)
      return partition;
  }
}

static std::string whyCheap(const schedule::CheapNode &cheap) {
  std::string operations = std::to_string(cheap.operations) + " operations";
  std::string bytes = std::to_string(cheap.bytes) + " bytes";
  return cheap.withSegment ? "its segment would do " + operations + " for " +
                                 bytes + " that cross its borders"
                           : "on the machine it would do " + operations +
                                 " and bring " + bytes + " more across borders";
}

void Segmenter::addReasons(const std::vector<schedule::CheapNode> &nodes) {
  for (const schedule::CheapNode &cheap : nodes)
    reasons[cheap.node] = {graph.nodeName(cheap.node),
                           cheap.withSegment ? "PART-1" : "PART-2",
                           whyCheap(cheap)};
}

/// Tells `tally explain` of a segment and the nodes that the host has.
void Segmenter::remark(const PartitionSegment &segment, size_t place) const {
  bool isHost = segment.place == Place::Host;
  rewrite::remarkAt(graph.operation(segment.nodes.front()),
                    rewrite::RemarkCode::SegmentBegins)
      << rewrite::because("segment {0} on {1}: {2} operations, {3} bytes "
                          "across its borders",
                          place, isHost ? runtime::kHostTarget : judge.target,
                          segment.nodes.size(), segment.borderBytes);
  for (int64_t node : segment.nodes) {
    auto found = reasons.find(node);
    if (!isHost || found == reasons.end())
      continue;
    const HostReason &reason = found->second;
    rewrite::remarkAt(graph.operation(node),
                      llvm::StringRef(reason.rule).starts_with("PART-")
                          ? rewrite::RemarkCode::HostIsCheaper
                          : rewrite::RemarkCode::HostOnly)
        << rewrite::because("{0} [{1}]", reason.message, reason.rule);
  }
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Result<std::vector<uint8_t>>
Segmenter::hostCode(const PartitionSegment &segment, size_t place) {
  auto module = graph.outline(segment.nodes, segment.inputs, segment.outputs);
  cpu::CpuOptions options;
  options.producer = kProducer;
  options.symbol = symbol + "_" + std::to_string(place);
  // Chains were made for the machine; fusing takes them apart first.
  rewrite::fuse(*module, cpuFusion(options.numerics));
  if (Status status = rewrite::verifyFused(*module); !status)
    return status.takeError();
  auto compiled = cpu::compile(*module, options);
  if (!compiled)
    return compiled.takeError();
  return std::vector<uint8_t>(compiled->object.begin(), compiled->object.end());
}

/// `numbers` are the tensors' in the file.
Result<Segment> Segmenter::finish(const PartitionSegment &segment, size_t place,
                                  llvm::ArrayRef<int64_t> numbers) {
  bool isHost = segment.place == Place::Host;
  Segment result;
  result.target = isHost ? runtime::kHostTarget : judge.target;
  result.member = "segment-" + std::to_string(place) + (isHost ? ".o" : ".elf");
  for (int64_t node : segment.nodes) {
    for (std::string &name : graph.nodeNames(node))
      if (!llvm::is_contained(result.nodes, name))
        result.nodes.push_back(std::move(name));
    if (auto reason = reasons.find(node); reason != reasons.end() && isHost)
      result.reasons.push_back(reason->second);
  }
  for (auto [from, to] : {std::pair(&segment.inputs, &result.inputs),
                          std::pair(&segment.outputs, &result.outputs)})
    for (int64_t tensor : *from)
      to->push_back(numbers[size_t(tensor)]);
  auto code =
      isHost ? hostCode(segment, place) : Result(programs.at(segment.nodes));
  if (!code)
    return code.takeError();
  result.code = std::move(*code);
  return result;
}

Result<SegmentFile> Segmenter::finishAll(const schedule::Partition &partition) {
  SegmentFile file;
  file.inputs = graph.inputs();
  file.outputs = graph.outputs();
  std::vector<int64_t> numbers(graph.parts.tensors.size(), -1);
  auto number = [&](int64_t tensor) {
    numbers[size_t(tensor)] = int64_t(file.tensors.size());
    file.tensors.push_back(graph.tensor(tensor));
  };
  for (const runtime::Port &input : file.inputs)
    number(input.tensor);
  for (const PartitionSegment &segment : partition.segments)
    llvm::for_each(segment.outputs, number);
  for (runtime::Port &output : file.outputs)
    output.tensor = numbers[size_t(output.tensor)];
  Progress progress("compiling segments", int64_t(partition.segments.size()));
  for (auto [i, part] : llvm::enumerate(partition.segments)) {
    remark(part, i);
    auto segment = finish(part, i, numbers);
    if (!segment)
      return segment.takeError();
    file.segments.push_back(std::move(*segment));
    progress.advance();
  }
  return file;
}

Result<SegmentFile> Segmenter::run() {
  if (Status status = judgeNodes(); !status)
    return status.takeError();
  auto partition = settle();
  if (!partition)
    return partition.takeError();
  addReasons(partition->cheap);
  return finishAll(*partition);
}

/// The states of `function`, which are placed beside each other. What segments
/// make of them are tensors, which the caller copies into the slots.
static runtime::Interface statesOf(mlir::func::FuncOp function) {
  runtime::Interface about, all = cpu::describe(function, {});
  about.states = std::move(all.states);
  for (runtime::StateInterface &state : about.states)
    if (state.isWritten) {
      state.writtenBytes = state.copiedBytes = state.tensor.byteCount();
      state.reason = "copied: segments hand on tensors";
    }
  about.slotBytes = std::move(all.slotBytes);
  about.commit = std::move(all.commit);
  about.stateHash = all.stateHash;
  return about;
}

Result<SegmentFile> tally::makeSegments(mlir::ModuleOp module,
                                        const MachineJudge &judge,
                                        const std::string &model,
                                        const std::string &symbol) {
  rewrite::placeStates(module, {});
  auto file = Segmenter(module, judge, symbol).run();
  if (!file) {
    Diagnostic failure = file.takeError();
    failure.file = model;
    return failure;
  }
  file->producer = kProducer;
  file->states = statesOf(mainFunction(module));
  file->model = llvm::sys::path::filename(model).str();
  return file;
}
