//===- TierParts.cpp - tiers become machine code side by side -------------===//
//
// Nearly all time of a compilation is LLVM's, and a context of LLVM's is one
// thread's. Tiers do not call each other, so each is a module of its own:
//
//     rest        net_run, net_selftest, constants    refers to the entries
//     x86-64      net_main_x86_64, its kernels        refers to constants
//     avx2        net_main_avx2, net_main_avxvnni, ...
//
// What one part defines and another uses is of hidden visibility until the
// parts are one object (JoinObjects.h). A part travels to its thread as
// bitcode, without constants, which are the rest's; only those that are zero
// are known to all, since code simplifies with them.
//
// Whether there are parts depends on the tiers alone, never on the machine, so
// that equal models are equal bytes. Within a part LLVM sees all that it saw in
// the whole: an entry and all kernels that it calls.
//
// Cost: a copy of the tiers' code. On two cores, five tiers of ResNet50 take
// about half the time of one thread.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/TierParts.h"
#include "tally/cpu/EmitCode.h"
#include "tally/cpu/JoinObjects.h"
#include "tally/support/Failed.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <atomic>
#include <numeric>
#include <thread>

using namespace llvm;
using namespace tally;
using namespace tally::cpu;

bool tally::cpu::belongsTo(StringRef function, Tier tier) {
  std::string suffix = std::string("_") + tierName(tier);
  std::replace(suffix.begin(), suffix.end(), '-', '_');
  return function.ends_with(suffix);
}

Tier tally::cpu::codeTier(Tier tier) {
  if (tier == Tier::I8mm)
    return Tier::Neon;
  return tier == Tier::AvxVnni ? Tier::Avx2 : tier;
}

//===----------------------------------------------------------------------===//
// Parts of a module
//===----------------------------------------------------------------------===//

namespace {
/// Functions of tiers that share kernels, and their size in instructions.
struct Part {
  DenseSet<const GlobalValue *> functions;
  uint64_t size = 0;
  std::string bitcode;
};
} // namespace

/// Parts of the tiers, weakest first.
static std::vector<Part> findParts(const Module &module,
                                   const CpuOptions &options) {
  std::vector<Tier> first; // of each part
  std::vector<Part> parts;
  for (Tier tier : options.tiers) {
    bool isOld = !first.empty() && codeTier(first.back()) == codeTier(tier);
    if (!isOld) {
      first.push_back(tier);
      parts.emplace_back();
    }
    for (const Function &function : module) {
      StringRef name = function.getName();
      name.consume_back("_task"); // Dispatch.cpp
      if (function.isDeclaration() || !belongsTo(name, tier))
        continue;
      parts.back().functions.insert(&function);
      parts.back().size += function.getInstructionCount();
    }
  }
  return parts;
}

static bool isZero(const GlobalValue *value) {
  auto *variable = dyn_cast<GlobalVariable>(value);
  return variable && variable->isConstant() && variable->hasInitializer() &&
         variable->getInitializer()->isNullValue();
}

/// What parts have of each other: entry functions, constants, and the function
/// that does the parts of a step.
static void share(Module &module, ArrayRef<Part> parts) {
  auto isCalledFromElsewhere = [&](const Function &function) {
    return any_of(function.users(), [&](const User *user) {
      auto *call = dyn_cast<Instruction>(user);
      return call && any_of(parts, [&](const Part &part) {
               return part.functions.contains(&function) !=
                      part.functions.contains(call->getFunction());
             });
    });
  };
  auto makeShared = [](GlobalValue &value) {
    value.setLinkage(GlobalValue::ExternalLinkage);
    value.setVisibility(GlobalValue::HiddenVisibility);
  };
  for (Function &function : module)
    if (function.hasInternalLinkage() && isCalledFromElsewhere(function))
      makeShared(function);
  for (GlobalVariable &variable : module.globals())
    if (variable.hasInternalLinkage() && variable.isConstant() &&
        !variable.hasSection())
      makeShared(variable);
}

/// Declarations that nothing refers to.
static void dropUnused(Module &module) {
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  for (GlobalVariable &variable : make_early_inc_range(module.globals()))
    if (variable.isDeclaration() && variable.use_empty())
      variable.eraseFromParent();
}

static std::string bitcodeOf(const Module &module, const Part &part) {
  ValueToValueMapTy copies;
  auto copy = CloneModule(module, copies, [&](const GlobalValue *value) {
    return part.functions.contains(value) || isZero(value);
  });
  for (GlobalVariable &variable : copy->globals())
    if (isZero(&variable))
      variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
  dropUnused(*copy);
  std::string bitcode;
  raw_string_ostream stream(bitcode);
  WriteBitcodeToFile(*copy, stream);
  return bitcode;
}

/// Leaves what is in no part.
static void keepRest(Module &module, ArrayRef<Part> parts) {
  for (Function &function : module)
    if (any_of(parts, [&](const Part &part) {
          return part.functions.contains(&function);
        }))
      function.deleteBody();
  dropUnused(module);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static Result<std::string> compileBitcode(StringRef bitcode, Family family) {
  LLVMContext context;
  auto module = parseBitcodeFile(MemoryBufferRef(bitcode, "part"), context);
  if (!module)
    return failed(FailureKind::Internal, "CPU-2", toString(module.takeError()));
  auto machine = makeMachine(family);
  return emitCode(**module, *machine);
}

/// Calls task(i) once for each i < count, on as many threads as there are
/// cores, those of larger `sizes` first.
static void forEach(ArrayRef<uint64_t> sizes, function_ref<void(size_t)> task) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t(0));
  sort(order, [&](size_t a, size_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
  });
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < order.size();)
      task(order[i]);
  };
  size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(cores, order.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

Result<std::string> tally::cpu::emitParts(std::unique_ptr<Module> module,
                                          const CpuOptions &options) {
  Family family = familyOf(options.tiers.front());
  std::vector<Part> parts = findParts(*module, options);
  if (parts.size() == 1)
    return emitCode(*module, *makeMachine(family));
  share(*module, parts);
  std::vector<uint64_t> sizes = {0};
  for (Part &part : parts) {
    part.bitcode = bitcodeOf(*module, part);
    sizes.push_back(part.size);
  }
  keepRest(*module, parts);
  std::vector<std::string> objects(sizes.size());
  std::vector<Status> statuses(sizes.size());
  forEach(sizes, [&](size_t i) {
    auto object = i == 0 ? emitCode(*module, *makeMachine(family))
                         : compileBitcode(parts[i - 1].bitcode, family);
    if (object)
      objects[i] = std::move(*object);
    else
      statuses[i] = object.takeError();
  });
  module.reset();
  for (Status &status : statuses)
    if (!status)
      return status.takeError();
  return joinObjects(objects);
}
