//===- HostTiles.cpp - the processor's tile registers ---------------------===//

#include "tally/support/HostTiles.h"

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Of arch_prctl (Linux, asm/prctl.h), and the number of the tile data among
/// the states of XSAVE.
static constexpr long kRequestPermission = 0x1023;
static constexpr long kTileData = 18;
/// Of CPUID leaf 7 in EDX: AMX-TILE and AMX-INT8.
static constexpr unsigned kTileBits = 1U << 24 | 1U << 25;

bool tally::mayUseTiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & kTileBits) != kTileBits)
    return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

#else

bool tally::mayUseTiles() { return false; }

#endif
