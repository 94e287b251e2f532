//===- ParameterRules.cpp - parameter blocks whose bytes are known --------===//
//
// Follows one execution and keeps, for each memory, the runs of bytes that are
// copies of constants. A copy of a run takes its origin along; any other write
// ends what it may touch, which is all from its first byte to its last.
//
// Example: a DMA brings constants [0, 4096), weights and behind them a block of
// 64 bytes, to SRAM at 8192. A command with params at 12224 of SRAM finds there
// constants [4032, 4096).
//
// Cost: accesses x log(runs), and for each block its bytes once.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/ParameterRules.h"

#include "tally/emit/isa/Parameters.h"
#include "tally/quant/UnaryBlockBytes.h"

#include <array>

using namespace tally;
using namespace tally::checker;
using isa::CommandCode;

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

namespace {
/// Where the bytes of memories come from.
class Origins {
public:
  /// Where in the constants lie the bytes that a range of a space holds.
  std::optional<int64_t> find(int64_t space, isa::ByteRange bytes) const;
  void forget(int64_t space, isa::ByteRange bytes);
  void learn(int64_t space, isa::ByteRange bytes, int64_t origin);

private:
  struct Run {
    int64_t end = 0;      ///< past the last byte
    int64_t distance = 0; ///< of an offset less that of its origin
  };
  using Runs = std::map<int64_t, Run>; ///< disjoint, by first byte
  std::array<Runs, kSpaces> memories;
};
} // namespace

std::optional<int64_t> Origins::find(int64_t space,
                                     isa::ByteRange bytes) const {
  if (space == isa::kConstantsRegion)
    return bytes.begin;
  const Runs &runs = memories[space];
  auto run = runs.upper_bound(bytes.begin);
  if (run == runs.begin())
    return std::nullopt;
  --run;
  int64_t distance = run->second.distance, known = bytes.begin;
  // Copies side by side, of constants side by side, are as good as one.
  for (; known < bytes.end; known = run->second.end, ++run) {
    bool goesOn = run != runs.end() && run->first <= known &&
                  known < run->second.end && run->second.distance == distance;
    if (!goesOn)
      return std::nullopt;
  }
  return bytes.begin - distance;
}

void Origins::forget(int64_t space, isa::ByteRange bytes) {
  Runs &runs = memories[space];
  auto run = runs.lower_bound(bytes.begin);
  if (run != runs.begin() && std::prev(run)->second.end > bytes.begin)
    --run;
  while (run != runs.end() && run->first < bytes.end) {
    auto [begin, old] = *run;
    run = runs.erase(run);
    if (begin < bytes.begin)
      runs[begin] = {bytes.begin, old.distance};
    if (old.end > bytes.end)
      runs[bytes.end] = old;
  }
}

void Origins::learn(int64_t space, isa::ByteRange bytes, int64_t origin) {
  forget(space, bytes);
  memories[space][bytes.begin] = {bytes.end, bytes.begin - origin};
}

static isa::ByteRange hullOf(const Touched &touched) {
  return {touched.box.begin(), touched.box.end()};
}

/// What the event leaves; it reads first.
static void follow(const Stream &stream, const Event &event, Origins &origins) {
  std::optional<int64_t> origin;
  for (const Touched &touched : stream.touchedBy(event)) {
    bool isSource = event.isCopy && touched.space != kRegisterSpace;
    if (!touched.isWrite && isSource)
      origin = origins.find(touched.space, hullOf(touched));
    else if (touched.isWrite && isSource && origin)
      origins.learn(touched.space, hullOf(touched), *origin);
    else if (touched.isWrite)
      origins.forget(touched.space, hullOf(touched));
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

static std::string nameOf(const isa::ParameterBlock &block) {
  static constexpr std::array<const char *,
                              std::variant_size_v<isa::ParameterBlock>>
      names = {"requantization", "linear record", "product", "softmax",
               "output stage"};
  return names[block.index()];
}

static std::string textOf(const Diagnostic &failure) {
  return failure.message + " [" + failure.rule + "]";
}

template <class Block>
static std::string faultAs(std::span<const uint8_t> bytes,
                           const machine::Machine &machine) {
  Result<isa::ParameterBlock> block = isa::decodeParameters(bytes);
  if (!block)
    return textOf(block.error());
  if (!std::holds_alternative<Block>(*block))
    return "it is a block for a " + nameOf(*block) +
           ", the command reads one for a " + nameOf(Block());
  Status status = isa::checkWidths(*block, machine);
  return status ? "" : textOf(status.error());
}

/// Of a command that reads parameters.
static std::string faultFor(CommandCode code, std::span<const uint8_t> bytes,
                            const machine::Machine &machine) {
  switch (code) {
  case CommandCode::MatrixConv:
    return faultAs<isa::EpilogueBlock>(bytes, machine);
  case CommandCode::VectorRescale:
  case CommandCode::VectorPool:
    return faultAs<isa::RequantizeBlock>(bytes, machine);
  case CommandCode::VectorLinear:
    return faultAs<isa::LinearBlock>(bytes, machine);
  case CommandCode::VectorProduct:
    return faultAs<isa::ProductBlock>(bytes, machine);
  case CommandCode::VectorSoftmax:
    return faultAs<isa::SoftmaxBlock>(bytes, machine);
  default:
    break;
  }
  Result<quant::UnaryBlock> block = quant::decodeBlock(bytes);
  return block ? "" : textOf(block.error());
}

const std::string &ParameterJudge::faultOf(CommandCode code,
                                           isa::ByteRange bytes) {
  auto [place, isNew] = faults.try_emplace({code, bytes.begin, bytes.end});
  if (isNew)
    place->second = faultFor(
        code,
        std::span(subject.constants)
            .subspan(size_t(bytes.begin), size_t(bytes.end - bytes.begin)),
        subject.machine);
  return place->second;
}

static CommandCode codeOf(const isa::Instruction &go) {
  return CommandCode(go.operands[*go.info().find(isa::OperandKind::Command)]);
}

std::optional<Finding> ParameterJudge::judgeBlock(EventId id,
                                                  const Event &event,
                                                  const Touched &block,
                                                  int64_t origin) {
  isa::ByteRange bytes{origin, origin + block.box.bytes};
  if (bytes.end > int64_t(subject.constants.size()))
    return std::nullopt;
  const std::string &fault =
      faultOf(codeOf(subject.text[event.instruction]), bytes);
  if (fault.empty())
    return std::nullopt;
  Finding finding;
  finding.rule = Rule::Parameters;
  finding.first = id;
  finding.space = isa::kConstantsRegion;
  finding.bytes = bytes;
  finding.message = "the command cannot use its parameter block";
  if (block.space != isa::kConstantsRegion)
    finding.message += ", copied to byte " + std::to_string(block.box.offset) +
                       " of " + spaceName(subject, block.space);
  finding.message += ": " + fault;
  finding.hint = "params.offset and params.bytes have to name one whole block, "
                 "of the command's kind and for this machine";
  return finding;
}

std::optional<Finding> ParameterJudge::judge(const Stream &stream,
                                             const Progress &progress) {
  if (subject.constants.empty())
    return std::nullopt;
  Origins origins;
  for (EventId id : progress.order) {
    const Event &event = stream.events[id];
    for (const Touched &touched : stream.touchedBy(event)) {
      if (!touched.isParameters)
        continue;
      std::optional<int64_t> origin =
          origins.find(touched.space, hullOf(touched));
      if (!origin)
        continue;
      if (auto finding = judgeBlock(id, event, touched, *origin))
        return finding;
    }
    follow(stream, event, origins);
  }
  return std::nullopt;
}
