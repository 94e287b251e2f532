//===- TestMeaning.h - one command's meaning, slowly ------------*- C++ -*-===//

#ifndef TALLY_RUN_SIMULATOR_TESTMEANING_H
#define TALLY_RUN_SIMULATOR_TESTMEANING_H

#include "tally/emit/isa/Parameters.h"
#include "tally/run/simulator/TestBench.h"

#include <functional>
#include <optional>

namespace tally::simulator {

using Index = std::array<int64_t, 4>;

/// Reads and writes single elements of a bench.
class Reference {
public:
  Reference(const isa::Command &command, Bench &bench)
      : command(command), bench(bench) {}

  void dma();
  void matrix();
  void vector();
  bool isWhole = true; ///< false: a number had no place

private:
  int64_t get(const std::string &field) const {
    auto place = isa::findField(command.config.kind(), field);
    return command.config.get(*place);
  }
  machine::ElementType typeOf(const std::string &operand) const {
    return machine::ElementType(get(operand + ".type"));
  }
  int64_t at(const std::string &operand, const Index &i) const;
  int64_t space(const std::string &operand) const {
    return get(operand + ".space");
  }
  int64_t read(int64_t space, int64_t offset, machine::ElementType type) const;
  float readFloat(int64_t space, int64_t offset) const;
  void write(int64_t space, int64_t offset, int64_t value,
             machine::ElementType type);
  void writeFloat(int64_t space, int64_t offset, float value);
  void forEach(const std::function<void(const Index &)> &body) const;
  template <class Block> Block params() const;
  std::span<const uint8_t> paramBytes() const;

  int64_t operand(const std::string &name, const Index &i) const {
    return read(space(name), at(name, i), typeOf(name));
  }
  void result(const Index &i, int64_t value) {
    write(space("out"), at("out", i), value, typeOf("out"));
  }
  void elementwise(const std::function<int64_t(const Index &)> &value) {
    forEach([&](const Index &i) { result(i, value(i)); });
  }
  size_t channel(const Index &i, size_t records) const {
    return records == 1 ? 0 : size_t(i[size_t(get("channel"))]);
  }
  std::optional<std::pair<int64_t, int64_t>> tap(int64_t y, int64_t x,
                                                 int64_t u, int64_t v) const;
  int64_t throughStages(const isa::EpilogueBlock &block, int64_t sum,
                        size_t channel, int64_t residual, int64_t &second);
  void integers();
  void floats();
  void convert();
  void reduce();
  void pool();
  void softmax();

  const isa::Command &command;
  Bench &bench;
};

template <class Block> Block Reference::params() const {
  return std::get<Block>(*isa::decodeParameters(paramBytes()));
}

} // namespace tally::simulator

#endif // TALLY_RUN_SIMULATOR_TESTMEANING_H
