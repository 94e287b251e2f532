//===- SegmentRun.cpp - runs a model in segments --------------------------===//

#include "tally/driver/fallback/SegmentRun.h"
#include "tally/emit/program/ProgramFile.h"
#include "tally/runtime/JitProgram.h"

using namespace tally;
using runtime::Segment;
using runtime::TensorInterface;

/// "net.a(segment-1.o)", as linkers call a member.
static std::string memberPath(const std::string &path, const Segment &segment) {
  return path + "(" + segment.member + ")";
}

static Diagnostic about(Diagnostic failure, const std::string &file) {
  if (failure.file.empty())
    failure.file = file;
  return failure;
}

static Diagnostic disagrees(const char *what) {
  return Diagnostic{.kind = FailureKind::Model,
                    .message = std::string("its code has other ") + what +
                               " than the manifest states",
                    .rule = "SEG-5"};
}

Result<isa::Program> tally::programOf(const Segment &segment,
                                      const std::string &path) {
  return isa::parseProgram(segment.code, memberPath(path, segment));
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

std::vector<TensorInterface>
SegmentRun::tensorsOf(const std::vector<int64_t> &numbers) const {
  std::vector<TensorInterface> tensors;
  for (int64_t number : numbers)
    tensors.push_back(file.tensors[size_t(number)]);
  return tensors;
}

static bool haveSameTypes(const std::vector<TensorInterface> &a,
                          const std::vector<TensorInterface> &b) {
  return std::ranges::equal(
      a, b, [](const TensorInterface &x, const TensorInterface &y) {
        return x.element == y.element && x.shape == y.shape;
      });
}

Result<SegmentRun::Code> SegmentRun::loadHost(const Segment &segment) const {
  auto artifact =
      runtime::parseArtifact(segment.code, memberPath(path, segment));
  if (!artifact)
    return artifact.takeError();
  if (!haveSameTypes(artifact->interface.inputs, tensorsOf(segment.inputs)))
    return disagrees("inputs");
  if (!haveSameTypes(artifact->interface.outputs, tensorsOf(segment.outputs)))
    return disagrees("outputs");
  auto elf = artifact->elf();
  auto program = runtime::jitProgram(
      {reinterpret_cast<const char *>(elf.data()), elf.size()},
      artifact->interface);
  if (!program)
    return program.takeError();
  auto context = runtime::Context::create(std::move(*program));
  if (!context)
    return context.takeError();
  return Code(std::move(*context));
}

/// Whether the buffers of one use have the bytes of the tensors. A buffer's
/// types are the machine's, which has no bool and one scale for all channels.
static bool holds(const isa::Program &program, isa::BufferUse use,
                  const std::vector<TensorInterface> &tensors) {
  std::vector<int64_t> found, wanted;
  for (const isa::Buffer &buffer : program.buffers)
    if (buffer.use == use)
      found.push_back(buffer.bytes);
  for (const TensorInterface &tensor : tensors)
    wanted.push_back(tensor.byteCount());
  return found == wanted;
}

Result<SegmentRun::Code>
SegmentRun::loadProgram(const Segment &segment,
                        const MachineChoice &machineFor) const {
  auto program = programOf(segment, path);
  if (!program)
    return program.takeError();
  if (!holds(*program, isa::BufferUse::Input, tensorsOf(segment.inputs)))
    return disagrees("inputs");
  if (!holds(*program, isa::BufferUse::Output, tensorsOf(segment.outputs)))
    return disagrees("outputs");
  auto machine = machineFor(*program);
  if (!machine)
    return machine.takeError();
  auto simulated =
      SimulatedProgram::create(std::move(*machine), std::move(*program));
  if (!simulated)
    return simulated.takeError();
  return Code(std::move(*simulated));
}

Result<SegmentRun> SegmentRun::load(runtime::SegmentFile file,
                                    const std::string &path,
                                    const MachineChoice &machineFor) {
  SegmentRun run(std::move(file), path);
  for (const Segment &segment : run.file.segments) {
    auto code = segment.isHost() ? run.loadHost(segment)
                                 : run.loadProgram(segment, machineFor);
    if (!code)
      return about(code.takeError(), memberPath(path, segment));
    run.codes.push_back(std::move(*code));
  }
  return run;
}

std::vector<TensorInterface> SegmentRun::inputs() const {
  auto all = file.interfaceOf(file.inputs);
  all.resize(file.ownInputs());
  return all;
}

std::vector<TensorInterface> SegmentRun::outputs() const {
  auto all = file.interfaceOf(file.outputs);
  all.resize(file.ownOutputs());
  return all;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Result<std::vector<eval::Tensor>>
SegmentRun::runSegment(size_t number, const std::vector<eval::Tensor> &inputs,
                       const simulator::RunOptions &options) {
  const Segment &segment = file.segments[number];
  SegmentReport &report =
      done.emplace_back(SegmentReport{segment.target, segment.member, {}});
  if (auto *host = std::get_if<runtime::Context>(&codes[number]))
    return host->run(inputs);
  auto &program = std::get<SimulatedProgram>(codes[number]);
  auto outcome = program.run(inputs, options);
  if (!outcome)
    return outcome.takeError();
  if (outcome->fault)
    return outcome->fault->diagnostic();
  report.simulation = std::move(outcome->counters);
  return program.results(tensorsOf(segment.outputs));
}

/// All segments, on tensors for all inputs of the file.
Result<std::vector<eval::Tensor>>
SegmentRun::runAll(const std::vector<eval::Tensor> &inputs,
                   const simulator::RunOptions &options) {
  done.clear();
  std::vector<eval::Tensor> tensors(file.tensors.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    tensors[size_t(file.inputs[i].tensor)] = inputs[i];
  for (size_t s = 0; s < file.segments.size(); ++s) {
    std::vector<eval::Tensor> operands;
    for (int64_t tensor : file.segments[s].inputs)
      operands.push_back(tensors[size_t(tensor)]);
    auto results = runSegment(s, operands, options);
    if (!results)
      return about(results.takeError(), memberPath(path, file.segments[s]));
    for (size_t i = 0; i < results->size(); ++i)
      tensors[size_t(file.segments[s].outputs[i])] = std::move((*results)[i]);
  }
  std::vector<eval::Tensor> outputs;
  for (const runtime::Port &port : file.outputs)
    outputs.push_back(tensors[size_t(port.tensor)]);
  return outputs;
}

Result<std::vector<eval::Tensor>>
SegmentRun::run(const std::vector<eval::Tensor> &inputs,
                const simulator::RunOptions &options) {
  if (Status status = theStates.checkNumbers(); !status)
    return status.takeError();
  auto old = theStates.oldValues();
  if (!old)
    return old;
  std::vector<eval::Tensor> all = inputs;
  all.insert(all.end(), old->begin(), old->end());
  auto outputs = runAll(all, options);
  if (!outputs || file.states.states.empty())
    return outputs;
  theStates.setNewValues(std::span(*outputs).subspan(file.ownOutputs()));
  theStates.commit();
  outputs->resize(file.ownOutputs());
  return outputs;
}
