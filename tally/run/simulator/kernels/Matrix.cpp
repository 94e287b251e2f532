//===- Matrix.cpp - convolutions and matrix products ----------------------===//
//
// Some pixels of one row of results at a time: their patches of the input are
// gathered, less the zero point, into rows of 16-bit terms, padding as 0; each
// pixel's sums are the products with the rows of the transposed weights. Then
// the sums of a pixel go to accumulators or through the output stage.
//
// A matrix product is the same with one tap and pixels for rows. Depthwise
// results are sums along taps of products of neighbouring channels, without
// gathering.
//
// Cost: the products, and for each pixel and tap a run of channels to check.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/kernels/Kernels.h"
#include "tally/run/simulator/kernels/Products.h"
#include "tally/run/simulator/kernels/Rows.h"
#include "tally/run/simulator/kernels/Stages.h"

#include <algorithm>
#include <bit>

using namespace tally;
using namespace tally::simulator;
using isa::MatrixField;
using machine::ElementType;

/// Pixels whose patches are gathered together.
static constexpr int64_t kPixels = 32;

namespace {
/// Where pixels of an operand lie: neighbours along channels.
struct Pixels {
  int64_t space = isa::kSram, offset = 0;
  int64_t strideG = 0, strideH = 0, strideW = 0;
  ElementType type = ElementType::I8;

  Row at(int64_t g, int64_t y, int64_t x) const {
    return {space, offset + g * strideG + y * strideH + x * strideW,
            machine::elementBytes(type), type};
  }
};

/// One axis of the window.
struct Axis {
  int64_t kernel, step, dilation, before, extent;
  /// The index that tap `tap` of window `at` reads, or -1 for padding.
  int64_t index(int64_t at, int64_t tap) const {
    int64_t i = at * step + tap * dilation - before;
    return 0 <= i && i < extent ? i : -1;
  }
};

class MatrixCommand {
public:
  MatrixCommand(const isa::Command &command, Memory &memory,
                const machine::Machine &machine);
  KernelFault execute();

private:
  void readWeights(int64_t g);
  void readTerms(const Row &row, int64_t zero, int64_t count, int16_t *to);
  void gather(int64_t g, int64_t y, int64_t x, int16_t *patch);
  void sumDense(int64_t g, int64_t y, int64_t x, int64_t count);
  void sumDepthwise(int64_t g, int64_t y, int64_t x, int64_t *to);
  KernelFault finish(int64_t g, int64_t y, int64_t x, std::span<int64_t> sums);
  KernelFault storeCodes(const Row &row, std::span<const int64_t> values);
  KernelFault emitPixel(int64_t g, int64_t y, int64_t x,
                        std::span<int64_t> sums);
  bool hasPasses() const;
  void leaveWorkSpace();
  KernelFault runPixels(int64_t g, int64_t y, int64_t x, int64_t count);

  int64_t get(MatrixField field) const { return command.get(field); }
  bool isSet(MatrixField field) const { return command.get(field) != 0; }
  Pixels pixelsAt(MatrixField offset) const;

  const isa::Command &command;
  Memory &memory;
  const machine::Machine &machine;
  const int64_t groups, outH, outW, columns, channels;
  const bool isDepthwise;
  Axis h, w;
  Pixels in, acc, out, out2, res;
  int64_t terms; ///< of a dense sum, padded
  int64_t run;   ///< terms whose sum fits 32 bits
  isa::EpilogueBlock stages;
  std::vector<int64_t> integers; ///< a row that is read
  std::vector<int16_t> weights;  ///< [column][term], depthwise [tap][column]
  std::vector<int16_t> patches;  ///< [pixel][term], depthwise [column]
  std::vector<int64_t> sums;     ///< [pixel][column]
  std::vector<int64_t> residual, second;
};
} // namespace

Pixels MatrixCommand::pixelsAt(MatrixField offset) const {
  auto field = [&](uint32_t place) {
    return command.config.get(uint32_t(offset) + place);
  };
  Pixels pixels;
  pixels.offset = field(0);
  pixels.strideG = field(1);
  pixels.strideH = field(2);
  pixels.strideW = field(3);
  pixels.type = ElementType(field(4)); // of acc: the next operand's first field
  return pixels;
}

/// The largest magnitude of a code less its zero point.
static int64_t largest(ElementType type, int64_t zero) {
  auto [low, high] = rangeOf(type);
  return std::max(std::abs(low - zero), std::abs(high - zero));
}

MatrixCommand::MatrixCommand(const isa::Command &command, Memory &memory,
                             const machine::Machine &machine)
    : command(command), memory(memory), machine(machine),
      groups(get(MatrixField::Groups)), outH(get(MatrixField::OutH)),
      outW(get(MatrixField::OutW)), columns(get(MatrixField::Columns)),
      channels(get(MatrixField::Channels)),
      isDepthwise(isSet(MatrixField::Depthwise)),
      h{get(MatrixField::KernelH), get(MatrixField::StepH),
        get(MatrixField::DilationH), get(MatrixField::BeforeH),
        get(MatrixField::ExtentH)},
      w{get(MatrixField::KernelW), get(MatrixField::StepW),
        get(MatrixField::DilationW), get(MatrixField::BeforeW),
        get(MatrixField::ExtentW)},
      in(pixelsAt(MatrixField::InOffset)),
      acc(pixelsAt(MatrixField::AccOffset)),
      out(pixelsAt(MatrixField::OutOffset)),
      out2(pixelsAt(MatrixField::Out2Offset)),
      res(pixelsAt(MatrixField::ResOffset)) {
  acc.space = isa::kAccumulators;
  acc.type = ElementType::I32;
  in.offset += command.firstAddend;
  (isSet(MatrixField::Emit) ? out : acc).offset += command.resultAddend;
  int64_t all = h.kernel * w.kernel * channels;
  terms = (all + kTermGroup - 1) / kTermGroup * kTermGroup;
  int64_t product = std::max<int64_t>(
      1, largest(in.type, get(MatrixField::InZero)) *
             largest(ElementType(get(MatrixField::WeightsType)),
                     get(MatrixField::WeightsZero)));
  run = std::max<int64_t>(1, INT32_MAX / product / kTermGroup) * kTermGroup;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

template <class T>
static void subtract(const uint8_t *bytes, int64_t zero, int64_t count,
                     int16_t *to) {
  const T *from = reinterpret_cast<const T *>(bytes);
  for (int64_t i = 0; i < count; ++i)
    to[i] = int16_t(from[i] - zero);
}

/// `count` neighbouring codes of 8 bits, less their zero point.
void MatrixCommand::readTerms(const Row &row, int64_t zero, int64_t count,
                              int16_t *to) {
  const uint8_t *bytes = memory.read(row.space, row.offset, count);
  if (row.type == ElementType::I8)
    subtract<int8_t>(bytes, zero, count, to);
  else
    subtract<uint8_t>(bytes, zero, count, to);
}

void MatrixCommand::readWeights(int64_t g) {
  int64_t taps = h.kernel * w.kernel;
  int64_t rows = isDepthwise ? taps : taps * channels;
  Row row{isa::kSram, 0, 1, ElementType(get(MatrixField::WeightsType))};
  std::vector<int16_t> line(static_cast<size_t>(columns));
  weights.assign(size_t(columns * (isDepthwise ? taps : terms)), 0);
  for (int64_t k = 0; k < rows && memory.isGood(); ++k) {
    row.offset = get(MatrixField::WeightsOffset) +
                 g * get(MatrixField::WeightsStrideG) +
                 k * get(MatrixField::WeightsStrideK);
    readTerms(row, get(MatrixField::WeightsZero), columns, line.data());
    for (int64_t n = 0; n < columns; ++n)
      weights[size_t(isDepthwise ? k * columns + n : n * terms + k)] =
          line[size_t(n)];
  }
}

void MatrixCommand::gather(int64_t g, int64_t y, int64_t x, int16_t *patch) {
  int64_t zero = get(MatrixField::InZero);
  for (int64_t u = 0; u < h.kernel; ++u)
    for (int64_t v = 0; v < w.kernel; ++v, patch += channels) {
      int64_t row = h.index(y, u), column = w.index(x, v);
      if (row < 0 || column < 0)
        std::fill(patch, patch + channels, 0);
      else
        readTerms(in.at(g, row, column), zero, channels, patch);
    }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void MatrixCommand::sumDense(int64_t g, int64_t y, int64_t x, int64_t count) {
  patches.resize(size_t(kPixels * terms));
  for (int64_t p = 0; p < count; ++p)
    gather(g, y, x + p, patches.data() + p * terms);
  addProducts(patches.data(), weights.data(), count, columns, terms, run,
              sums.data());
}

void MatrixCommand::sumDepthwise(int64_t g, int64_t y, int64_t x, int64_t *to) {
  patches.resize(size_t(columns));
  const int16_t *tap = weights.data();
  for (int64_t u = 0; u < h.kernel; ++u)
    for (int64_t v = 0; v < w.kernel; ++v, tap += columns) {
      int64_t row = h.index(y, u), column = w.index(x, v);
      if (row < 0 || column < 0)
        continue;
      readTerms(in.at(g, row, column), get(MatrixField::InZero), columns,
                patches.data());
      addPairs(patches.data(), tap, columns, to);
    }
}

/// A sum that 32 bits do not hold, if there is one.
static KernelFault firstBeyond(std::span<const int64_t> sums) {
  for (int64_t sum : sums)
    if (sum != int32_t(sum))
      return "a sum is " + std::to_string(sum) +
             ", which the 32 bits of an accumulator do not hold";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

KernelFault MatrixCommand::storeCodes(const Row &row,
                                      std::span<const int64_t> values) {
  auto [low, high] = rangeOf(row.type);
  for (int64_t value : values)
    if (value < low || value > high)
      return "the output stage gives " + std::to_string(value) +
             ", which its result's type does not have";
  store(memory, row, values);
  return std::nullopt;
}

KernelFault MatrixCommand::emitPixel(int64_t g, int64_t y, int64_t x,
                                     std::span<int64_t> sums) {
  if (isSet(MatrixField::UsesResidual)) {
    residual.resize(size_t(columns));
    load(memory, res.at(g, y, x), residual);
  }
  if (isSet(MatrixField::UsesSecond))
    second.resize(size_t(columns));
  if (KernelFault fault =
          applyStages(stages, g * columns, sums, residual, second))
    return fault;
  if (KernelFault fault = storeCodes(out.at(g, y, x), sums))
    return fault;
  return isSet(MatrixField::UsesSecond) ? storeCodes(out2.at(g, y, x), second)
                                        : std::nullopt;
}

KernelFault MatrixCommand::finish(int64_t g, int64_t y, int64_t x,
                                  std::span<int64_t> sums) {
  if (KernelFault fault = firstBeyond(sums))
    return fault;
  if (isSet(MatrixField::Emit))
    return emitPixel(g, y, x, sums);
  store(memory, acc.at(g, y, x), sums);
  return std::nullopt;
}

KernelFault MatrixCommand::runPixels(int64_t g, int64_t y, int64_t x,
                                     int64_t count) {
  sums.assign(size_t(count * columns), 0);
  auto pixel = [&](int64_t p) {
    return std::span(sums).subspan(size_t(p * columns), size_t(columns));
  };
  if (isSet(MatrixField::Accumulate))
    for (int64_t p = 0; p < count; ++p)
      load(memory, acc.at(g, y, x + p), pixel(p));
  if (isDepthwise)
    for (int64_t p = 0; p < count; ++p)
      sumDepthwise(g, y, x + p, pixel(p).data());
  else
    sumDense(g, y, x, count);
  for (int64_t p = 0; p < count; ++p)
    if (KernelFault fault = finish(g, y, x + p, pixel(p)))
      return fault;
  return std::nullopt;
}

/// Whether partial sums wait in accumulators for another pass of the array.
bool MatrixCommand::hasPasses() const {
  const machine::MatrixUnit &unit = machine.engineOf(command.queue).matrix;
  int64_t taps = h.kernel * w.kernel;
  return isDepthwise ? taps > unit.depthwiseTaps : taps * channels > unit.rows;
}

/// What a command that emits leaves where its partial sums were: in the sums it
/// began with, or else in those of one block of columns of one group.
void MatrixCommand::leaveWorkSpace() {
  const machine::MatrixUnit &unit = machine.engineOf(command.queue).matrix;
  bool isWhole = isSet(MatrixField::Accumulate);
  int64_t block = isDepthwise ? unit.depthwiseChannels : unit.columns;
  int64_t count = isWhole ? columns : std::min(columns, block);
  for (int64_t g = 0; g < (isWhole ? groups : 1); ++g)
    for (int64_t y = 0; y < outH; ++y)
      for (int64_t x = 0; x < outW && memory.isGood(); ++x)
        memory.spoil(acc.space, acc.at(g, y, x).offset, 4 * count, 4);
}

KernelFault MatrixCommand::execute() {
  if (isSet(MatrixField::Emit))
    if (KernelFault fault = readBlock(command, memory, machine, stages))
      return fault;
  for (int64_t g = 0; g < groups; ++g) {
    readWeights(g);
    for (int64_t y = 0; y < outH; ++y)
      for (int64_t x = 0; x < outW && memory.isGood(); x += kPixels)
        if (KernelFault fault = runPixels(g, y, x, std::min(kPixels, outW - x)))
          return fault;
  }
  if (isSet(MatrixField::Emit) && hasPasses())
    leaveWorkSpace();
  return std::nullopt;
}

KernelFault tally::simulator::runMatrix(const isa::Command &command,
                                        Memory &memory,
                                        const machine::Machine &machine) {
  return MatrixCommand(command, memory, machine).execute();
}
