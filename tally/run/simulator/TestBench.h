//===- TestBench.h - memories and commands for tests ------------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_TESTBENCH_H
#define TALLY_RUN_SIMULATOR_TESTBENCH_H

#include "tally/emit/isa/Command.h"
#include "tally/run/simulator/Memory.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string_view>
#include <vector>

namespace tally::simulator {

/// machines/NAME.yaml of the source tree.
machine::Machine shippedMachine(const std::string &name);

/// A command of an engine that the machine has, with the fields that are named.
isa::Command makeCommand(const machine::Machine &machine,
                         isa::CommandCode code);
void setField(isa::Command &command, std::string_view field, int64_t value);

/// The machine's memories and regions 0 to 5 of 64 KiB each, all writable and
/// all written.
class Bench {
public:
  explicit Bench(const machine::Machine &machine);
  Bench(const Bench &other) : bytes(other.bytes) { mapAll(); }
  Bench &operator=(const Bench &) = delete;

  void fillRandomly(uint64_t seed);
  template <class T>
  void put(int64_t space, int64_t offset, const std::vector<T> &values) {
    auto *from = reinterpret_cast<const uint8_t *>(values.data());
    std::copy(from, from + values.size() * sizeof(T),
              bytes[space].begin() + offset);
  }
  template <class T>
  std::vector<T> get(int64_t space, int64_t offset, size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), bytes.at(space).data() + offset,
                count * sizeof(T));
    return values;
  }

  Memory memory;
  std::map<int64_t, std::vector<uint8_t>> bytes;

private:
  void mapAll();
};

/// Equal tests draw equal numbers.
inline std::mt19937_64 seeded(uint64_t seed) { return std::mt19937_64(seed); }

/// A number of [low, high].
int64_t draw(std::mt19937_64 &random, int64_t low, int64_t high);

/// A command that isa::checkCommand lets pass, with operands of up to a few
/// hundred elements in any layout, and its parameters put into `bench`.
isa::Command randomCommand(std::mt19937_64 &random, isa::CommandCode code,
                           const machine::Machine &machine, Bench &bench);

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_TESTBENCH_H
