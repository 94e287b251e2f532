//===- OperandsDma.cpp - what a DMA command reads and writes --------------===//
//
// Along dimension d the source has elements for i in [before, before + extent);
// a ring's indices [start, start + n) modulo its length are one piece or two.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/isa/Operands.h"

#include <algorithm>

using namespace tally;
using namespace tally::isa;

static int64_t nth(const Command &command, DmaField first, size_t d) {
  return command.config.get(uint32_t(first) + uint32_t(d));
}

enum Side { NoSide = 0, SourceSide = 1, DestinationSide = 2 };

static bool wraps(const Command &command, Side side, size_t d) {
  return command.get(DmaField::WrapSide) == side &&
         size_t(command.get(DmaField::WrapDim)) == d;
}

/// Indices [first, first + count) of one dimension, of a side.
static std::vector<IndexRun> piecesOf(const Command &command, Side side,
                                      size_t d, int64_t first, int64_t count) {
  if (count <= 0)
    return {};
  if (!wraps(command, side, d))
    return {{first, count, 1}};
  int64_t length = command.get(DmaField::WrapLength);
  int64_t start = (command.get(DmaField::WrapStart) + first) % length;
  int64_t whole = std::min(count, length - start);
  std::vector<IndexRun> pieces = {{start, whole, 1}};
  if (count > whole)
    pieces.push_back({0, count - whole, 1});
  return pieces;
}

/// The indices of the source that are read along dimension d.
static IndexRun readAlong(const Command &command, size_t d) {
  int64_t before = nth(command, DmaField::Before0, d);
  int64_t lo = std::max<int64_t>(0, before);
  int64_t hi = std::min(nth(command, DmaField::Size0, d),
                        before + nth(command, DmaField::Extent0, d));
  return {lo - before, hi - lo, 1};
}

static Operand operandOf(const Command &command, Side side) {
  bool reads = side == SourceSide;
  DmaField space = reads ? DmaField::SrcSpace : DmaField::DstSpace;
  DmaField stride = reads ? DmaField::SrcStride0 : DmaField::DstStride0;
  Operand operand;
  operand.reach = Reach::Dma;
  operand.elementBytes = command.get(DmaField::Element);
  operand.offset =
      command.get(reads ? DmaField::SrcOffset : DmaField::DstOffset) +
      (reads ? command.firstAddend : command.resultAddend);
  operand.access.kind = reads ? AccessKind::Read : AccessKind::Write;
  operand.access.operand = reads ? "src" : "dst";
  operand.access.space = command.get(space);
  std::array<std::vector<IndexRun>, 4> pieces;
  for (size_t d = 0; d < 4; ++d) {
    IndexRun run = reads ? readAlong(command, d)
                         : IndexRun{0, nth(command, DmaField::Size0, d), 1};
    operand.counts[d] =
        wraps(command, side, d) ? command.get(DmaField::WrapLength) : run.count;
    operand.strides[d] = nth(command, stride, d);
    pieces[d] = piecesOf(command, side, d, run.first, run.count);
  }
  for (const IndexRun &p0 : pieces[0])
    for (const IndexRun &p1 : pieces[1])
      for (const IndexRun &p2 : pieces[2])
        for (const IndexRun &p3 : pieces[3])
          addBox(operand.access.boxes,
                 operand.offset + p0.first * operand.strides[0] +
                     p1.first * operand.strides[1] +
                     p2.first * operand.strides[2] +
                     p3.first * operand.strides[3],
                 {p0.count, p1.count, p2.count, p3.count}, operand.strides,
                 operand.elementBytes);
  return operand;
}

std::vector<Operand> tally::isa::dmaOperands(const Command &command) {
  return {operandOf(command, SourceSide), operandOf(command, DestinationSide)};
}

static Status checkWrap(const Command &command) {
  int64_t side = command.get(DmaField::WrapSide);
  if (side == NoSide)
    return Status::success();
  size_t d = size_t(command.get(DmaField::WrapDim));
  int64_t length = command.get(DmaField::WrapLength);
  if (Status status = demand(command, uint32_t(DmaField::WrapSide),
                             side <= DestinationSide, "0, 1 or 2 is meant");
      !status)
    return status;
  if (Status status = demand(command, uint32_t(DmaField::WrapStart),
                             command.get(DmaField::WrapStart) < length,
                             "a start below wrap.length is meant");
      !status)
    return status;
  int64_t used = side == SourceSide ? readAlong(command, d).count
                                    : nth(command, DmaField::Size0, d);
  return demand(command, uint32_t(DmaField::WrapLength), used <= length,
                "the command uses " + std::to_string(used) +
                    " indices of the ring");
}

static Status checkSizes(const Command &command) {
  for (uint32_t d = 0; d < 4; ++d)
    if (Status status = demand(command, uint32_t(DmaField::Size0) + d,
                               nth(command, DmaField::Size0, d) >= 1,
                               "at least 1 is needed");
        !status)
      return status;
  return Status::success();
}

Status tally::isa::checkDmaFields(const Command &command) {
  int64_t element = command.get(DmaField::Element);
  if (Status status =
          demand(command, uint32_t(DmaField::Element),
                 element == 1 || element == 2 || element == 4 || element == 8,
                 "1, 2, 4 or 8 is meant");
      !status)
    return status;
  if (Status status = checkSizes(command); !status)
    return status;
  return checkWrap(command);
}
