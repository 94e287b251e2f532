//===- Config.cpp - staged configuration of engines -----------------------===//

#include "tally/emit/isa/Config.h"

#include <algorithm>

using namespace tally;
using namespace tally::isa;
using machine::EngineKind;

namespace {
enum Sign { Unsigned, Signed };
} // namespace

static constexpr FieldInfo kFields[] = {
#define TALLY_FIELD(kind, id, name, bits, sign, initial, unit, meaning)        \
  {EngineKind::kind, name, bits,   Sign::sign == Sign::Signed,                 \
   initial,          unit, meaning},
#include "tally/emit/isa/ConfigFields.def"
};

// Kinds stand one after the other in the table.
std::span<const FieldInfo> tally::isa::allFields(EngineKind kind) {
  auto [first, last] =
      std::ranges::equal_range(kFields, kind, {}, &FieldInfo::kind);
  return {first, last};
}

std::optional<uint32_t> tally::isa::findField(EngineKind kind,
                                              std::string_view name) {
  std::span<const FieldInfo> fields = allFields(kind);
  auto found = std::ranges::find(fields, name, &FieldInfo::name);
  if (found == fields.end())
    return std::nullopt;
  return uint32_t(found - fields.begin());
}

Configuration::Configuration(EngineKind kind) : engineKind(kind) {
  for (const FieldInfo &field : allFields(kind))
    values.push_back(field.initial);
}

static Diagnostic refuse(std::string message) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = "ISA-FIELD";
  failure.message = std::move(message);
  return failure;
}

Status Configuration::set(uint32_t field, int64_t value) {
  std::string kind(machine::engineKindName(engineKind));
  if (field >= values.size())
    return refuse("a " + kind + " engine has no field " +
                  std::to_string(field) + "; the last is " +
                  std::to_string(values.size() - 1));
  const FieldInfo &info = allFields(engineKind)[field];
  if (value < info.minimum() || value > info.maximum())
    return refuse("field '" + std::string(info.name) + "' of a " + kind +
                  " engine takes " + std::to_string(info.minimum()) + " to " +
                  std::to_string(info.maximum()) + ", not " +
                  std::to_string(value));
  values[field] = value;
  return Status::success();
}

Status Configuration::setRegister(uint32_t field, uint32_t bits) {
  bool isSigned =
      field < values.size() && allFields(engineKind)[field].isSigned;
  return set(field, isSigned ? int64_t(int32_t(bits)) : int64_t(bits));
}
