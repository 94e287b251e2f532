//===- Target.cpp - processors that code is made for ----------------------===//

#include "tally/cpu/Target.h"
#include "tally/runtime/Host.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace tally;
using namespace tally::cpu;
using llvm::StringRef;

Family tally::cpu::familyOf(Tier tier) {
  return tier == Tier::Neon || tier == Tier::I8mm ? Family::Arm : Family::X86;
}

const char *tally::cpu::familyName(Family family) {
  return family == Family::Arm ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
}

const char *tally::cpu::familyTriple(Family family) {
  return family == Family::Arm ? "aarch64-unknown-linux-gnu"
                               : "x86_64-unknown-linux-gnu";
}

std::vector<Tier> tally::cpu::tiersOf(Family family) {
  std::vector<Tier> tiers;
  llvm::copy_if(allTiers(), std::back_inserter(tiers),
                [&](Tier tier) { return familyOf(tier) == family; });
  return tiers;
}

std::optional<Family> tally::cpu::findFamily(const std::string &name) {
  llvm::Triple triple(llvm::Triple::normalize(name));
  if (!triple.isOSLinux() || !triple.isGNUEnvironment())
    return std::nullopt;
  if (triple.getArch() == llvm::Triple::x86_64)
    return Family::X86;
  if (triple.getArch() == llvm::Triple::aarch64)
    return Family::Arm;
  return std::nullopt;
}

std::vector<std::string> tally::cpu::processorNames(Family family) {
  llvm::SmallVector<StringRef> names;
  if (family == Family::Arm)
    llvm::AArch64::fillValidCPUArchList(names);
  else
    llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  return {names.begin(), names.end()};
}

/// Its features and those that they imply.
static llvm::StringMap<bool> featuresOf(Family family, StringRef name) {
  llvm::StringMap<bool> features;
  if (family == Family::Arm) {
    std::vector<StringRef> list; // "+neon", ...
    if (auto processor = llvm::AArch64::parseCpu(name))
      llvm::AArch64::getExtensionFeatures(processor->getImpliedExtensions(),
                                          list);
    for (StringRef feature : list)
      features[feature.drop_front()] = true;
    return features;
  }
  llvm::SmallVector<StringRef> list;
  llvm::X86::getFeaturesForCPU(name, list);
  for (StringRef feature : list) {
    features[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, features);
  }
  return features;
}

std::vector<Tier> tally::cpu::tiersOfProcessor(Family family,
                                               const std::string &name) {
  llvm::StringMap<bool> features = featuresOf(family, name);
  std::vector<std::string> offered =
      runtime::tiersWith(familyName(family), [&](const char *feature) {
        return features.lookup(feature);
      });
  std::vector<Tier> tiers;
  llvm::copy_if(allTiers(), std::back_inserter(tiers), [&](Tier tier) {
    return llvm::is_contained(offered, tierName(tier));
  });
  return tiers;
}
