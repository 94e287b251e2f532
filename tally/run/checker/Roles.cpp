//===- Roles.cpp - what is known of memories, and demanded of them --------===//

#include "tally/emit/isa/Config.h"
#include "tally/run/checker/Races.h"

#include <algorithm>

using namespace tally;
using namespace tally::checker;

/// `count` runs of `bytes` bytes, `pitch` apart, from `offset` on.
static isa::Box runsAt(int64_t offset, int64_t count, int64_t pitch,
                       int64_t bytes) {
  isa::Box box;
  box.offset = offset;
  box.counts[3] = count;
  box.strides[3] = pitch;
  box.bytes = bytes;
  return box;
}

static void setFrames(const Frames &frames, MemoryRole &role) {
  int64_t old = frames.down ? frames.entering : 0;
  int64_t entering = frames.down ? 0 : frames.old;
  role.old = runsAt(old * frames.pitch, frames.old, frames.pitch, frames.bytes);
  role.entering = runsAt(entering * frames.pitch, frames.entering, frames.pitch,
                         frames.bytes);
}

MemoryRoles tally::checker::memoryRoles(const Subject &subject,
                                        std::span<const int64_t> values) {
  MemoryRoles roles{};
  size_t regions = std::min(subject.regions.size(), size_t(isa::kSram));
  for (size_t i = 0; i < regions; ++i) {
    const Region &region = subject.regions[i];
    roles[i].bytes = region.bytes;
    roles[i].isReadOnly = region.role == RegionRole::Constants ||
                          region.role == RegionRole::Input;
    roles[i].isInitialised =
        roles[i].isReadOnly || region.role == RegionRole::Context ||
        region.role == RegionRole::State || region.role == RegionRole::Append;
    roles[i].isWrittenOnce = isWrittenOnce(region.role);
    if (region.role == RegionRole::Ring)
      setFrames(region.frames, roles[i]);
    const Rows &rows = region.rows;
    if (region.role == RegionRole::Append)
      roles[i].entering = runsAt(values[rows.scalar] * rows.step, rows.runs,
                                 rows.pitch, rows.bytes);
  }
  roles[isa::kSram].bytes = subject.machine.sram.bytes;
  roles[isa::kAccumulators].bytes = subject.machine.accumulators.bytes;
  // Whether a scalar register is defined is decided while expanding.
  roles[kRegisterSpace].bytes = 4 * 32;
  roles[kRegisterSpace].isInitialised = true;
  return roles;
}
