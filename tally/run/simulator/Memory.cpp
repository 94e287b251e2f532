//===- Memory.cpp - what a program can address ----------------------------===//

#include "tally/run/simulator/Memory.h"

#include <algorithm>
#include <cstring>

using namespace tally::simulator;

void Memory::fail(AccessError error, int64_t number, int64_t offset,
                  int64_t count, int64_t first) {
  if (!firstFault)
    firstFault = {error, number, offset, offset + count, first};
}

uint8_t *Memory::scratchOf(int64_t count) {
  // Earlier blocks stay: their pointers may still be in use.
  if (scratch.empty() || int64_t(scratch.back().size()) < count)
    scratch.emplace_back(size_t(count), 0);
  return scratch.back().data();
}

bool Memory::admit(Space &space, int64_t number, int64_t offset, int64_t count,
                   int64_t alignment, bool isWrite) {
  auto size = int64_t(space.bytes.size());
  if (!space.isMapped || offset < 0 || count > size || offset > size - count) {
    fail(AccessError::Unmapped, number, offset, count,
         offset < 0 || !space.isMapped ? offset : std::max(offset, size));
    return false;
  }
  if (offset % alignment != 0) {
    fail(AccessError::Misaligned, number, offset, count, offset);
    return false;
  }
  if (isWrite && !space.isWritable) {
    fail(AccessError::ReadOnly, number, offset, count, offset);
    return false;
  }
  return true;
}

const uint8_t *Memory::read(int64_t number, int64_t offset, int64_t count,
                            int64_t alignment) {
  Space &from = space(number);
  if (!admit(from, number, offset, count, alignment, false))
    return scratchOf(count);
  if (from.written)
    if (auto first = from.written->firstMissing(offset, offset + count)) {
      fail(AccessError::Unwritten, number, offset, count, *first);
      return scratchOf(count);
    }
  if (recorded)
    recorded->read[number].insert(offset, offset + count);
  return from.bytes.data() + offset;
}

uint8_t *Memory::write(int64_t number, int64_t offset, int64_t count,
                       int64_t alignment) {
  Space &to = space(number);
  if (!admit(to, number, offset, count, alignment, true))
    return scratchOf(count);
  if (to.written)
    to.written->insert(offset, offset + count);
  if (recorded)
    recorded->written[number].insert(offset, offset + count);
  return to.bytes.data() + offset;
}

void Memory::spoil(int64_t number, int64_t offset, int64_t count,
                   int64_t alignment) {
  std::memset(write(number, offset, count, alignment), 0xd6, size_t(count));
  Space &to = space(number);
  if (to.written && isGood())
    to.written->erase(offset, offset + count);
}

void Memory::reset() {
  firstFault.reset();
  scratch.clear();
  for (Space &space : spaces)
    if (space.written)
      space.written->clear();
}
