//===- NpuArguments.cpp - an accelerator named on the command line --------===//

#include "tally/driver/NpuArguments.h"
#include "tally/driver/Codegen.h"
#include "tally/machine/ShippedMachines.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally;

bool tally::namesMachine(const std::string &target) {
  return llvm::StringRef(target).ends_with(".yaml") ||
         llvm::any_of(machine::shippedMachines(), [&](const auto &shipped) {
           return shipped.name == target;
         });
}

static Status refuseLibraryOptions(const Arguments &arguments) {
  static constexpr std::pair<option::Id, const char *> libraryOptions[] = {
      {option::emit, "--emit"},
      {option::symbol, "--symbol"},
      {option::static_arena, "--static-arena"},
      {option::no_self_test, "--no-self-test"},
      {option::tiers, "--tiers"},
      {option::emulate, "--emulate"},
      {option::cpu_target, "--cpu-target"},
      {option::cpu, "--cpu"},
      {option::threads, "--threads"},
      {option::tune, "--tune"},
      {option::tune_seconds, "--tune"},
      {option::tune_cache, "--tune-cache"},
      {option::max_table_bytes, "--max-table-bytes"},
      {option::table_budget, "--table-budget"}};
  for (auto [id, name] : libraryOptions)
    if (arguments.has(id))
      return usageError("CLI-3",
                        std::string(name) +
                            " means nothing for an accelerator's program",
                        "leave it out, or compile for the CPU");
  return Status::success();
}

static Status checkProfile(const ModelArguments &model) {
  if (model.numerics == eval::Profile::Ideal)
    return Status::success();
  Diagnostic failure;
  failure.kind = FailureKind::Unsupported;
  failure.rule = "NPU-12";
  failure.message = std::string("accelerators compute under --numerics=ideal, "
                                "not ") +
                    profileName(model.numerics);
  failure.hint = "leave --numerics out, or compile for the CPU";
  return failure;
}

static Status checkFallback(const Arguments &arguments) {
  std::string fallback = arguments.value(option::fallback, "cpu");
  if (fallback == "cpu")
    return Status::success();
  return usageError("CLI-3", "there is no '" + fallback + "' to fall back to",
                    "write --fallback=cpu");
}

/// "band=64K" and the like.
static Result<schedule::Pins> parsePins(const Arguments &arguments) {
  schedule::Pins pins;
  const std::pair<const char *, std::optional<int64_t> *> known[] = {
      {"resident", &pins.resident},
      {"band", &pins.band},
      {"weights", &pins.weights},
      {"prefetch", &pins.prefetch}};
  for (const std::string &text : arguments.listOf(option::choose)) {
    auto [name, value] = llvm::StringRef(text).split('=');
    const auto *found = llvm::find_if(
        known, [&](const auto &one) { return name == one.first; });
    if (found == std::end(known))
      return usageError("CLI-3",
                        "--choose has nothing called '" + name.str() + "'",
                        "write resident, band or weights with bytes, or "
                        "prefetch with steps, such as band=64K,prefetch=0");
    auto number = parseBytes(value.str());
    if (!number)
      return number.takeError();
    *found->second = *number;
  }
  return pins;
}

static Status parseNumbers(const Arguments &arguments, NpuArguments &result) {
  if (arguments.has(option::budget)) {
    auto bytes = parseBytes(arguments.value(option::budget));
    if (!bytes)
      return bytes.takeError();
    result.search.budget = *bytes;
  }
  auto count = arguments.number(option::sync_registers);
  if (!count)
    return count.takeError();
  if (*count && int64_t(**count) > result.machine.sync.count)
    return usageError("CLI-3",
                      "'" + result.machine.name + "' has " +
                          std::to_string(result.machine.sync.count) +
                          " synchronization registers of each key, not " +
                          std::to_string(**count));
  if (*count)
    result.syncRegisters = int64_t(**count);
  auto copies = arguments.number(option::max_state_copies);
  if (!copies)
    return copies.takeError();
  if (*copies)
    result.maxStateCopies = int64_t(**copies);
  auto pins = parsePins(arguments);
  if (!pins)
    return pins.takeError();
  result.search.pins = *pins;
  return Status::success();
}

Result<NpuArguments> tally::parseNpuArguments(const Arguments &arguments) {
  auto machine = machine::findMachine(arguments.value(option::target));
  if (!machine)
    return machine.takeError();
  auto model = parseModelArguments(arguments);
  if (!model)
    return model.takeError();
  if (Status status = refuseLibraryOptions(arguments); !status)
    return status.takeError();
  if (Status status = checkProfile(*model); !status)
    return status.takeError();
  if (Status status = checkFallback(arguments); !status)
    return status.takeError();
  NpuArguments result{std::move(*machine),
                      std::move(*model),
                      {},
                      {},
                      arguments.has(option::fallback)};
  if (Status status = parseNumbers(arguments, result); !status)
    return status.takeError();
  return result;
}
