//===- RegionRules.cpp - regions, windows and budget ----------------------===//
//
// Regions are bound by the caller; what can be judged before is whether there
// is a place for all of them: each lies whole in one window. Largest first,
// each into the first window that still has room.
//
//===----------------------------------------------------------------------===//

#include "tally/run/checker/Checker.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;

static Finding fail(std::string message, std::string hint = "") {
  Finding finding;
  finding.rule = Rule::Regions;
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  return finding;
}

static std::string named(const Region &region) {
  return "region '" + region.name + "'";
}

/// Windows of the machine; the whole address space where it lists none.
static std::vector<machine::Window>
windowsOf(const machine::GlobalMemory &global) {
  if (!global.windows.empty())
    return global.windows;
  return {{0, global.addressBits >= 64 ? UINT64_MAX
                                       : uint64_t(1) << global.addressBits}};
}

static uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

static std::optional<Finding> place(const Subject &subject) {
  const machine::GlobalMemory &global = subject.machine.global;
  std::vector<machine::Window> free = windowsOf(global);
  std::vector<const Region *> regions;
  regions.reserve(subject.regions.size());
  for (const Region &region : subject.regions)
    regions.push_back(&region);
  std::sort(regions.begin(), regions.end(),
            [](const Region *a, const Region *b) {
              return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
            });
  for (const Region *region : regions) {
    auto alignment = static_cast<uint64_t>(
        std::max({region->alignment, global.alignment, int64_t(1)}));
    auto bytes = static_cast<uint64_t>(region->bytes);
    auto window =
        std::find_if(free.begin(), free.end(), [&](const machine::Window &w) {
          uint64_t begin = roundUp(w.begin, alignment);
          return begin >= w.begin && begin <= w.end && w.end - begin >= bytes;
        });
    if (window == free.end())
      return fail(named(*region) + " of " + std::to_string(bytes) +
                      " bytes finds no place in the windows of global memory "
                      "beside the larger ones",
                  "a region lies whole in one window");
    window->begin = roundUp(window->begin, alignment) + bytes;
  }
  return std::nullopt;
}

static bool isPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

std::optional<Finding>
tally::checker::breaksRegionRule(const Subject &subject,
                                 std::optional<int64_t> budget) {
  for (const Region &region : subject.regions) {
    if (region.bytes < 0 || !isPowerOfTwo(region.alignment))
      return fail(named(region) + " has " + std::to_string(region.bytes) +
                  " bytes aligned to " + std::to_string(region.alignment) +
                  "; sizes are not negative, alignments powers of two");
    int64_t alignment =
        std::max(region.alignment, subject.machine.global.alignment);
    if (alignment > 0 && region.moves % alignment != 0)
      return fail(named(region) + " moves by " + std::to_string(region.moves) +
                      " bytes from call to call, and is aligned to " +
                      std::to_string(alignment),
                  "keep the state in two slots, or let more bytes enter");
    bool isBeyond =
        budget && region.role == RegionRole::Arena && region.bytes > *budget;
    if (isBeyond)
      return fail(named(region) + " is an arena of " +
                      std::to_string(region.bytes) + " bytes, the budget is " +
                      std::to_string(*budget),
                  "compile for this budget");
  }
  return place(subject);
}
