//===- Dma.cpp - moving and filling boxes ---------------------------------===//
//
// A box is moved row by row along dimension 3. A row falls into pieces in which
// nothing changes but the index: what is filled, what lies before the end of a
// ring, and what lies behind it. Pieces of neighbouring elements on both sides
// are one run each.
//
// Example: 6 elements, one filled before the first, a source of 4, ring of 4
// that starts at 3: fill | src[3] | src[0..2] | fill.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/kernels/Kernels.h"
#include "tally/run/simulator/kernels/Rows.h"

#include <algorithm>
#include <cstring>

using namespace tally;
using namespace tally::simulator;
using isa::DmaField;

namespace {
/// One side of a transfer.
struct Side {
  int64_t space, offset;
  std::array<int64_t, 4> strides;
  bool isRing;
};

class DmaCopy {
public:
  DmaCopy(const isa::Command &command, Memory &memory);
  void run();

private:
  int64_t place(const Side &side, size_t dim, int64_t index) const;
  int64_t unbroken(const Side &side, int64_t index) const;
  void copyRow(int64_t source, int64_t target, bool isFilled);
  void fill(const Row &to, int64_t count);

  Memory &memory;
  Side src, dst;
  std::array<int64_t, 4> sizes, before, extent;
  int64_t element, fillBits;
  size_t wrapDim;
  int64_t wrapLength, wrapStart;
};
} // namespace

static std::array<int64_t, 4> four(const isa::Command &command,
                                   DmaField first) {
  auto at = [&](uint32_t d) { return command.config.get(uint32_t(first) + d); };
  return {at(0), at(1), at(2), at(3)};
}

DmaCopy::DmaCopy(const isa::Command &command, Memory &memory)
    : memory(memory),
      src{command.get(DmaField::SrcSpace),
          command.get(DmaField::SrcOffset) + command.firstAddend,
          four(command, DmaField::SrcStride0),
          command.get(DmaField::WrapSide) == 1},
      dst{command.get(DmaField::DstSpace),
          command.get(DmaField::DstOffset) + command.resultAddend,
          four(command, DmaField::DstStride0),
          command.get(DmaField::WrapSide) == 2},
      sizes(four(command, DmaField::Size0)),
      before(four(command, DmaField::Before0)),
      extent(four(command, DmaField::Extent0)),
      element(command.get(DmaField::Element)),
      fillBits(command.get(DmaField::Fill)),
      wrapDim(size_t(command.get(DmaField::WrapDim))),
      wrapLength(command.get(DmaField::WrapLength)),
      wrapStart(command.get(DmaField::WrapStart)) {}

/// Bytes from index 0 of a dimension to `index`.
int64_t DmaCopy::place(const Side &side, size_t dim, int64_t index) const {
  if (side.isRing && dim == wrapDim)
    index = (wrapStart + index) % wrapLength;
  return index * side.strides[dim];
}

/// Indices of dimension 3 from `index` to where the side's ring wraps.
int64_t DmaCopy::unbroken(const Side &side, int64_t index) const {
  if (!side.isRing || wrapDim != 3)
    return INT64_MAX;
  return wrapLength - (wrapStart + index) % wrapLength;
}

void DmaCopy::fill(const Row &to, int64_t count) {
  bool isDense = to.stride == element;
  for (int64_t done = 0; done < count;) {
    int64_t now = isDense ? count : 1;
    uint8_t *at =
        memory.write(to.space, to.offset + done * to.stride, now * element);
    for (int64_t i = 0; i < now; ++i)
      std::memcpy(at + i * element, &fillBits, size_t(element));
    done += now;
  }
}

void DmaCopy::copyRow(int64_t source, int64_t target, bool isFilled) {
  int64_t first = std::clamp<int64_t>(before[3], 0, sizes[3]);
  int64_t last = std::clamp<int64_t>(before[3] + extent[3], first, sizes[3]);
  if (isFilled)
    first = last = sizes[3];
  for (int64_t i = 0; i < sizes[3];) {
    bool isSource = first <= i && i < last;
    int64_t end = i < first ? first : isSource ? last : sizes[3];
    int64_t count = std::min(end - i, unbroken(dst, i));
    Row to{dst.space, target + place(dst, 3, i), dst.strides[3], {}};
    if (isSource) {
      int64_t j = i - before[3];
      count = std::min(count, unbroken(src, j));
      move(memory, {src.space, source + place(src, 3, j), src.strides[3], {}},
           to, element, count);
    } else {
      fill(to, count);
    }
    i += count;
  }
}

void DmaCopy::run() {
  std::array<int64_t, 3> i;
  for (i[0] = 0; i[0] < sizes[0] && memory.isGood(); ++i[0])
    for (i[1] = 0; i[1] < sizes[1] && memory.isGood(); ++i[1])
      for (i[2] = 0; i[2] < sizes[2] && memory.isGood(); ++i[2]) {
        int64_t source = src.offset, target = dst.offset;
        bool isFilled = false;
        for (size_t d = 0; d < 3; ++d) {
          int64_t j = i[d] - before[d];
          isFilled |= j < 0 || j >= extent[d];
          if (!isFilled)
            source += place(src, d, j);
          target += place(dst, d, i[d]);
        }
        copyRow(source, target, isFilled);
      }
}

KernelFault tally::simulator::runDma(const isa::Command &command,
                                     Memory &memory,
                                     const machine::Machine &machine) {
  DmaCopy(command, memory).run();
  return std::nullopt;
}
