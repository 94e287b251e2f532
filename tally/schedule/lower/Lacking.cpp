//===- Lacking.cpp - what machines lack for an operator -------------------===//

#include "tally/schedule/lower/Lacking.h"

#include "llvm/ADT/StringSwitch.h"

llvm::StringRef tally::schedule::lackingFor(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"nn.conv_integer", "nn.matmul_integer"},
             "sums of the matrix engine leave it as codes, and plain 32-bit "
             "sums with zero points known only when run are none")
      .Case("nn.gather_elements",
            "no engine reads elements at indices of a run")
      .Cases({"nn.scatter_elements", "nn.scatter_nd"},
             "no engine writes at indices of a run")
      .Case("nn.lrn", "the vector engine has no fused multiply-add, which its "
                      "sums consist of")
      .Case("nn.max_pool_indices", "pools tell no places")
      .Case("nn.resize",
            "no engine sums neighbours with weights that differ by place")
      .Case("nn.top_k", "no engine sorts")
      .Default("it has no commands for the operator");
}
