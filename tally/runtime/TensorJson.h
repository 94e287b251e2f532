//===- TensorJson.h - tensors in JSON formats -------------------*- C++ -*-===//
//
// One tensor of an interface as JSON, for every format that holds some.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_RUNTIME_TENSORJSON_H
#define TALLY_RUNTIME_TENSORJSON_H

#include "tally/runtime/Interface.h"

#include "llvm/Support/JSON.h"

namespace tally::runtime {

void writeTensor(llvm::json::OStream &os, const TensorInterface &tensor);

/// Found by argument-dependent lookup of llvm::json::ObjectMapper.
bool fromJSON(const llvm::json::Value &value, TensorInterface &tensor,
              llvm::json::Path path);

/// Whether brackets nest deeper than any description's: the JSON parser, which
/// calls itself for each, would run out of stack.
bool nestsTooDeep(std::string_view text);

} // namespace tally::runtime

#endif // TALLY_RUNTIME_TENSORJSON_H
