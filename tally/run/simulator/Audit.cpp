//===- Audit.cpp - declared effects against what was touched --------------===//
//
// Both sides become ascending runs of bytes for each space and direction. Boxes
// are laid out run by run here, not by the table's own function for it.
//
//===----------------------------------------------------------------------===//

#include "tally/run/simulator/Audit.h"

using namespace tally;
using namespace tally::simulator;
using isa::AccessKind;

static void layOut(const isa::Box &box, ByteRuns &runs) {
  auto [n0, n1, n2, n3] = box.counts;
  for (int64_t i0 = 0; i0 < n0; ++i0)
    for (int64_t i1 = 0; i1 < n1; ++i1)
      for (int64_t i2 = 0; i2 < n2; ++i2)
        for (int64_t i3 = 0; i3 < n3; ++i3) {
          int64_t at = box.offset + i0 * box.strides[0] + i1 * box.strides[1] +
                       i2 * box.strides[2] + i3 * box.strides[3];
          runs.insert(at, at + box.bytes);
        }
}

using BySpace = std::map<int64_t, ByteRuns>;

static BySpace declaredOf(std::span<const isa::Access> accesses,
                          AccessKind kind) {
  BySpace spaces;
  for (const isa::Access &access : accesses)
    if (access.kind == kind)
      for (const isa::Box &box : access.boxes)
        layOut(box, spaces[access.space]);
  return spaces;
}

static std::string describe(ByteRun run, int64_t space) {
  std::string where = space == isa::kSram ? "sram"
                      : space == isa::kAccumulators
                          ? "accumulators"
                          : "region " + std::to_string(space);
  return "bytes [" + std::to_string(run.begin) + ", " +
         std::to_string(run.end) + ") of " + where;
}

/// What is in `a` and not in `b`, in some space.
static std::optional<std::string> beyond(BySpace &a, BySpace &b) {
  for (auto &[space, runs] : a)
    if (auto run = firstOutside(runs.sorted(), b[space].sorted()))
      return describe(*run, space);
  return std::nullopt;
}

static std::optional<std::string> compare(BySpace declared, BySpace &touched,
                                          const std::string &verb) {
  if (auto extra = beyond(touched, declared))
    return *extra + " are " + verb + " and not declared";
  if (auto missing = beyond(declared, touched))
    return *missing + " are declared as " + verb + " and not touched";
  return std::nullopt;
}

std::optional<std::string>
tally::simulator::audit(std::span<const isa::Access> declared,
                        Touched &touched) {
  if (auto difference =
          compare(declaredOf(declared, AccessKind::Read), touched.read, "read"))
    return difference;
  return compare(declaredOf(declared, AccessKind::Write), touched.written,
                 "written");
}
