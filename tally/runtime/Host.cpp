//===- Host.cpp - what this machine can run -------------------------------===//
//
// LLVM asks CPUID, and the system which registers it saves. The lists are what
// the dispatch in an object asks for (cpu/Glue.cpp), which shares no code with
// this: an object stands alone.
//
//===----------------------------------------------------------------------===//

#include "tally/runtime/Host.h"
#include "tally/support/HostTiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace tally;

namespace {
/// An instruction set: of which target, and what it adds to which other one.
struct TierNeeds {
  llvm::StringRef tier, target, base;
  std::vector<const char *> features;
};
} // namespace

static constexpr const char *kX86 = "x86_64-linux-gnu";
static constexpr const char *kArm = "aarch64-linux-gnu";

static const std::vector<TierNeeds> &allNeeds() {
  static const std::vector<TierNeeds> kNeeds = {
      {"x86-64", kX86, "", {}},
      // x86-64-v3
      {"avx2",
       kX86,
       "x86-64",
       {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt",
        "sse4.2"}},
      {"avxvnni", kX86, "avx2", {"avxvnni"}},
      // x86-64-v4 with VNNI
      {"avx512vnni",
       kX86,
       "avx2",
       {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl",
        "avx512vnni"}},
      {"amx", kX86, "avx512vnni", {"avx512vbmi", "amx-tile", "amx-int8"}},
      {"neon", kArm, "", {"neon"}},
      {"i8mm", kArm, "neon", {"i8mm"}},
  };
  return kNeeds;
}

std::string runtime::hostTarget() {
#if defined(__x86_64__) && defined(__linux__)
  return kX86;
#elif defined(__aarch64__) && defined(__linux__)
  return kArm;
#else
  return "";
#endif
}

static bool hostHas(const char *feature) {
  static const llvm::StringMap<bool> kFeatures =
      llvm::sys::getHostCPUFeatures();
  // Tiles have to be asked for.
  return kFeatures.lookup(feature) &&
         (llvm::StringRef(feature) != "amx-tile" || mayUseTiles());
}

/// Of `tier`, what `has` denies, and the same of what it builds on.
static std::vector<std::string>
missing(llvm::StringRef tier, llvm::function_ref<bool(const char *)> has) {
  std::vector<std::string> names;
  while (!tier.empty()) {
    auto needs = llvm::find_if(
        allNeeds(), [&](const TierNeeds &n) { return n.tier == tier; });
    if (needs == allNeeds().end())
      break;
    for (const char *feature : needs->features)
      if (!has(feature))
        names.emplace_back(feature);
    tier = needs->base;
  }
  return names;
}

std::vector<std::string> runtime::missingFeatures(std::string_view tier) {
  return missing(tier, hostHas);
}

std::vector<std::string>
runtime::tiersWith(std::string_view target,
                   const std::function<bool(const char *)> &has) {
  std::vector<std::string> tiers;
  for (const TierNeeds &needs : allNeeds())
    if (needs.target == llvm::StringRef(target) &&
        missing(needs.tier, has).empty())
      tiers.push_back(needs.tier.str());
  return tiers;
}

std::vector<std::string> runtime::hostTiers() {
  return tiersWith(hostTarget(), hostHas);
}
