//===- OptMain.h - the pass runner for tests --------------------*- C++ -*-===//

#ifndef TALLY_DRIVER_OPTMAIN_H
#define TALLY_DRIVER_OPTMAIN_H

namespace tally {

/// tally-opt: mlir-opt with our dialects and passes.
int optMain(int argc, char **argv);

} // namespace tally

#endif // TALLY_DRIVER_OPTMAIN_H
