//===- TestReference.cpp - the meaning of commands, slowly ----------------===//
//
// The sentences of Commands.def as loops over single elements. Blocks are
// applied by the parameter blocks' own functions.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/TestReference.h"
#include "tally/run/simulator/TestMeaning.h"

#include <algorithm>
#include <cmath>

using namespace tally;
using namespace tally::simulator;
using isa::Command;
using machine::ElementType;
using machine::EngineKind;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t Reference::at(const std::string &operand, const Index &i) const {
  int64_t offset = get(operand + ".offset");
  for (size_t d = 0; d < 4; ++d)
    offset += i[d] * get(operand + ".stride" + std::to_string(d));
  return offset;
}

int64_t Reference::read(int64_t space, int64_t offset, ElementType type) const {
  int64_t bytes = machine::elementBytes(type), value = 0;
  std::memcpy(&value, bench.bytes.at(space).data() + offset, size_t(bytes));
  bool isSigned = type != ElementType::U8 && type != ElementType::U16;
  int64_t unused = 64 - 8 * bytes;
  return isSigned ? int64_t(uint64_t(value) << unused) >> unused : value;
}

float Reference::readFloat(int64_t space, int64_t offset) const {
  return bench.get<float>(space, offset, 1)[0];
}

void Reference::write(int64_t space, int64_t offset, int64_t value,
                      ElementType type) {
  std::memcpy(bench.bytes.at(space).data() + offset, &value,
              size_t(machine::elementBytes(type)));
}

void Reference::writeFloat(int64_t space, int64_t offset, float value) {
  if (std::isnan(value))
    return write(space, offset, 0x7fc00000, ElementType::I32);
  bench.put(space, offset, std::vector<float>{value});
}

void Reference::forEach(const std::function<void(const Index &)> &body) const {
  Index i;
  for (i[0] = 0; i[0] < get("size0"); ++i[0])
    for (i[1] = 0; i[1] < get("size1"); ++i[1])
      for (i[2] = 0; i[2] < get("size2"); ++i[2])
        for (i[3] = 0; i[3] < get("size3"); ++i[3])
          body(i);
}

std::span<const uint8_t> Reference::paramBytes() const {
  return std::span(bench.bytes.at(get("params.space")))
      .subspan(size_t(get("params.offset")), size_t(get("params.bytes")));
}

//===----------------------------------------------------------------------===//
// DMA
//===----------------------------------------------------------------------===//

void Reference::dma() {
  forEach([&](const Index &i) {
    Index source = i, target = i;
    bool isFilled = false;
    for (size_t d = 0; d < 4; ++d) {
      source[d] -= get("before" + std::to_string(d));
      isFilled |=
          source[d] < 0 || source[d] >= get("extent" + std::to_string(d));
    }
    auto dim = size_t(get("wrap.dim"));
    Index &ring = get("wrap.side") == 1 ? source : target;
    if (get("wrap.side") != 0)
      ring[dim] = (get("wrap.start") + ring[dim]) % get("wrap.length");
    for (int64_t byte = 0; byte < get("element"); ++byte)
      write(space("dst"), at("dst", target) + byte,
            isFilled
                ? get("fill") >> (8 * byte)
                : read(space("src"), at("src", source) + byte, ElementType::U8),
            ElementType::U8);
  });
}

//===----------------------------------------------------------------------===//
// Matrix
//===----------------------------------------------------------------------===//

/// The index of h and w that a tap reads, unless it is padding.
std::optional<std::pair<int64_t, int64_t>>
Reference::tap(int64_t y, int64_t x, int64_t u, int64_t v) const {
  int64_t h = y * get("step.h") + u * get("dilation.h") - get("before.h");
  int64_t w = x * get("step.w") + v * get("dilation.w") - get("before.w");
  if (h < 0 || h >= get("extent.h") || w < 0 || w >= get("extent.w"))
    return std::nullopt;
  return std::pair(h, w);
}

int64_t Reference::throughStages(const isa::EpilogueBlock &block, int64_t v,
                                 size_t channel, int64_t residual,
                                 int64_t &second) {
  for (const isa::Stage &stage : block.stages) {
    if (auto *bias = std::get_if<isa::BiasStage>(&stage))
      v += bias->bias[channel];
    if (auto *q = std::get_if<isa::RequantizeBlock>(&stage))
      v = q->apply(v, q->records.size() == 1 ? 0 : channel);
    if (auto *unary = std::get_if<quant::UnaryBlock>(&stage))
      v = quant::applyBlock(*unary, v);
    if (auto *linear = std::get_if<isa::LinearBlock>(&stage))
      v = linear->apply(v, residual);
    if (auto *product = std::get_if<isa::ProductBlock>(&stage))
      v = product->apply(v, residual);
    if (auto *clamp = std::get_if<isa::ClampStage>(&stage))
      v = std::clamp<int64_t>(v, clamp->lo, clamp->hi);
    if (std::holds_alternative<isa::SecondStage>(stage))
      second = v;
  }
  return v;
}

void Reference::matrix() {
  auto pixel = [&](const std::string &name, int64_t g, int64_t y, int64_t x) {
    return get(name + ".offset") + g * get(name + ".stride.g") +
           y * get(name + ".stride.h") + x * get(name + ".stride.w");
  };
  auto element = [&](const std::string &name, int64_t base, int64_t i) {
    ElementType type = typeOf(name);
    return read(isa::kSram, base + i * machine::elementBytes(type), type);
  };
  int64_t channels = get("channels");
  auto sumOf = [&](int64_t g, int64_t y, int64_t x, int64_t n) {
    int64_t sum = get("accumulate")
                      ? read(isa::kAccumulators, pixel("acc", g, y, x) + 4 * n,
                             ElementType::I32)
                      : 0;
    for (int64_t u = 0; u < get("kernel.h"); ++u)
      for (int64_t v = 0; v < get("kernel.w"); ++v)
        for (int64_t k = 0; k < channels; ++k)
          if (auto at = tap(y, x, u, v)) {
            int64_t term = (u * get("kernel.w") + v) * channels + k;
            int64_t weight =
                element("weights",
                        get("weights.offset") + g * get("weights.stride.g") +
                            term * get("weights.stride.k"),
                        n);
            int64_t code = element("in", pixel("in", g, at->first, at->second),
                                   get("depthwise") ? n : k);
            sum += (code - get("in.zero")) * (weight - get("weights.zero"));
          }
    return sum;
  };
  for (int64_t g = 0; g < get("groups"); ++g)
    for (int64_t y = 0; y < get("out.h"); ++y)
      for (int64_t x = 0; x < get("out.w"); ++x)
        for (int64_t n = 0; n < get("columns"); ++n) {
          int64_t sum = sumOf(g, y, x, n);
          isWhole &= sum == int32_t(sum);
          if (!get("emit")) {
            write(isa::kAccumulators, pixel("acc", g, y, x) + 4 * n, sum,
                  ElementType::I32);
            continue;
          }
          int64_t second = 0;
          int64_t residual =
              get("residual") ? element("res", pixel("res", g, y, x), n) : 0;
          int64_t value =
              throughStages(params<isa::EpilogueBlock>(), sum,
                            size_t(g * get("columns") + n), residual, second);
          ElementType type = typeOf("out"), type2 = typeOf("out2");
          write(isa::kSram,
                pixel("out", g, y, x) + n * machine::elementBytes(type), value,
                type);
          if (get("second"))
            write(isa::kSram,
                  pixel("out2", g, y, x) + n * machine::elementBytes(type2),
                  second, type2);
        }
}

bool tally::simulator::referenceOf(const Command &command, Bench &bench) {
  Reference reference(command, bench);
  switch (command.info().kind) {
  case EngineKind::Dma:
    reference.dma();
    break;
  case EngineKind::Matrix:
    reference.matrix();
    break;
  case EngineKind::Vector:
    reference.vector();
    break;
  }
  return reference.isWhole;
}
