//===- Blocks.cpp - vector commands on codes with a parameter block -------===//

#include "tally/quant/UnaryBlockBytes.h"
#include "tally/run/simulator/kernels/Kernels.h"
#include "tally/run/simulator/kernels/Rows.h"
#include "tally/run/simulator/kernels/Stages.h"

#include <algorithm>

using namespace tally;
using namespace tally::simulator;
using isa::CommandCode;

/// Calls body(first channel of the row, a, b) on every row; a becomes the
/// result. b is read where the command has two operands.
template <class Body>
static KernelFault forEachRow(const VectorOperands &v, Memory &memory,
                              bool hasTwo, Body body) {
  std::vector<int64_t> a(static_cast<size_t>(v.rowLength())),
      b(hasTwo ? a.size() : 0);
  KernelFault fault;
  v.forEachRow(memory, [&](int64_t i0, int64_t i1, int64_t i2) {
    if (fault)
      return;
    load(memory, v.a.row(i0, i1, i2), a);
    load(memory, v.b.row(i0, i1, i2), b);
    if (!memory.isGood())
      return;
    Channels channels{v.channel(i0, i1, i2), v.channelStep()};
    fault = body(channels, std::span(a), std::span(b));
    if (!fault)
      store(memory, v.out.row(i0, i1, i2), a);
  });
  return fault;
}

static KernelFault runUnary(const isa::Command &command, Memory &memory) {
  auto block = quant::decodeBlock(readParameters(command, memory));
  if (!block)
    return memory.isGood() ? KernelFault(block.error().message + " (" +
                                         block.error().rule + ")")
                           : std::nullopt;
  return forEachRow(
      VectorOperands(command), memory, false,
      [&](Channels channels, std::span<int64_t> a, std::span<int64_t>) {
        return applyUnary(*block, channels, a);
      });
}

static KernelFault runRescale(const isa::Command &command, Memory &memory,
                              const machine::Machine &machine) {
  isa::RequantizeBlock block;
  if (KernelFault fault = readBlock(command, memory, machine, block))
    return fault;
  return forEachRow(
      VectorOperands(command), memory, false,
      [&](Channels channels, std::span<int64_t> a, std::span<int64_t>) {
        return requantize(block, channels, a);
      });
}

static KernelFault runLinear(const isa::Command &command, Memory &memory,
                             const machine::Machine &machine) {
  isa::LinearBlock block;
  if (KernelFault fault = readBlock(command, memory, machine, block))
    return fault;
  return forEachRow(VectorOperands(command), memory, true,
                    [&](Channels, std::span<int64_t> a, std::span<int64_t> b) {
                      return combine(block, a, b);
                    });
}

static KernelFault runProduct(const isa::Command &command, Memory &memory,
                              const machine::Machine &machine) {
  isa::ProductBlock block;
  if (KernelFault fault = readBlock(command, memory, machine, block))
    return fault;
  return forEachRow(
      VectorOperands(command), memory, true,
      [&](Channels channels, std::span<int64_t> a, std::span<int64_t> b) {
        return multiply(block, channels, a, b);
      });
}

KernelFault tally::simulator::runBlocks(const isa::Command &command,
                                        Memory &memory,
                                        const machine::Machine &machine) {
  switch (command.code) {
  case CommandCode::VectorBlock:
    return runUnary(command, memory);
  case CommandCode::VectorRescale:
    return runRescale(command, memory, machine);
  case CommandCode::VectorLinear:
    return runLinear(command, memory, machine);
  default:
    return runProduct(command, memory, machine);
  }
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// clamp(rhe(t numerator / (sum denominator)) + zero, lo, hi)
static int64_t share(const isa::SoftmaxBlock &block, int64_t t, int64_t sum) {
  __int128 numerator = __int128(t) * block.numerator;
  __int128 denominator = __int128(sum) * block.denominator;
  __int128 quotient = numerator / denominator; // nothing is negative
  __int128 rest = numerator % denominator;
  // 2 rest against the denominator, without the doubling.
  __int128 above = rest - (denominator - rest);
  if (above > 0 || (above == 0 && (quotient & 1)))
    ++quotient;
  __int128 code = quotient + block.zero;
  return code < block.lo   ? block.lo
         : code > block.hi ? block.hi
                           : int64_t(code);
}

static KernelFault softmaxLine(const isa::SoftmaxBlock &block,
                               std::span<int64_t> line) {
  int64_t largest = *std::ranges::max_element(line), sum = 0;
  for (int64_t &code : line) {
    int64_t distance = largest - code;
    if (distance >= int64_t(block.exponentials.size()))
      return "codes of a line are " + std::to_string(distance) +
             " apart, params has exponentials of " +
             std::to_string(block.exponentials.size());
    code = block.exponentials[size_t(distance)];
    sum += code;
  }
  if (sum <= 0 || block.denominator <= 0)
    return "the exponentials in params are not positive";
  for (int64_t &value : line)
    value = share(block, value, sum);
  return std::nullopt;
}

KernelFault tally::simulator::runSoftmax(const isa::Command &command,
                                         Memory &memory,
                                         const machine::Machine &machine) {
  isa::SoftmaxBlock block;
  if (KernelFault fault = readBlock(command, memory, machine, block))
    return fault;
  return forEachRow(VectorOperands(command), memory, false,
                    [&](Channels, std::span<int64_t> a, std::span<int64_t>) {
                      return softmaxLine(block, a);
                    });
}
