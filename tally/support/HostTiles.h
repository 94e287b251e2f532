//===- HostTiles.h - the processor's tile registers -------------*- C++ -*-===//
//
// Linux lets a process use the 8 KiB of AMX tile registers only after it has
// asked once. The permission holds for the whole process from then on and is
// passed on to children by fork, not by exec. It is refused when the processor
// has no such registers or when a thread has an alternate signal stack that is
// too small to save them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_HOSTTILES_H
#define TALLY_SUPPORT_HOSTTILES_H

namespace tally {

/// Asks for the permission, and says whether this process may now multiply
/// tiles of bytes. False on processors and systems without them.
bool mayUseTiles();

} // namespace tally

#endif // TALLY_SUPPORT_HOSTTILES_H
