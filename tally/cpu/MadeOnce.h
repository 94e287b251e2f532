//===- MadeOnce.h - what all tiers' kernels have in common ------*- C++ -*-===//
//
// An operation is lowered once for each tier, but panels of weights, packed
// columns and records are the same for all of them, and take longer to make
// than the code around them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CPU_MADEONCE_H
#define TALLY_CPU_MADEONCE_H

#include "mlir/IR/Operation.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace tally::cpu {

class MadeOnce {
public:
  /// What make() gave when it was first asked for this `what` of `op`, which
  /// must say all that it depends on beside the operation, and tells its type.
  /// It lives as long as this does.
  template <typename T>
  const T &get(mlir::Operation *op, const std::string &what,
               llvm::function_ref<T()> make) {
    std::shared_ptr<void> &known = made[{op, what}];
    if (!known)
      known = std::make_shared<T>(make());
    return *static_cast<const T *>(known.get());
  }

private:
  std::map<std::pair<mlir::Operation *, std::string>, std::shared_ptr<void>>
      made;
};

} // namespace tally::cpu

#endif // TALLY_CPU_MADEONCE_H
