//===- Machine.cpp - an accelerator, described ----------------------------===//

#include "tally/machine/Machine.h"

#include <algorithm>

using namespace tally::machine;

std::string_view tally::machine::elementTypeName(ElementType type) {
  constexpr std::string_view names[] = {"i8",  "u8",  "i16", "u16",
                                        "i32", "i64", "f16", "f32"};
  return names[size_t(type)];
}

std::string_view tally::machine::engineKindName(EngineKind kind) {
  constexpr std::string_view names[] = {"dma", "matrix", "vector"};
  return names[size_t(kind)];
}

std::string Processor::subset() const {
  return std::string(isEmbedded ? "rv32e" : "rv32i") +
         (hasMultiply ? "_zmmul" : "");
}

bool Engine::takes(ElementType type) const {
  return std::ranges::find(types, type) != types.end();
}

std::optional<uint32_t> Machine::findQueue(std::string_view queue) const {
  auto found = std::ranges::find(queues, queue, &Queue::name);
  if (found == queues.end())
    return std::nullopt;
  return uint32_t(found - queues.begin());
}

const RequantizeUnit *Machine::requantizeFor(int64_t resultBits) const {
  auto found =
      std::ranges::find(requantize, resultBits, &RequantizeUnit::resultBits);
  return found == requantize.end() ? nullptr : &*found;
}

int64_t Machine::syncRegisters() const {
  int64_t n = int64_t(queues.size());
  switch (sync.key) {
  case SyncKey::Global:
    return sync.count;
  case SyncKey::Source:
    return sync.count * n;
  case SyncKey::SourceDestination:
    return sync.count * n * n;
  }
  return 0;
}
