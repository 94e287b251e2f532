//===- ContractText.h - contract records for people and programs *- C++ -*-===//

#ifndef TALLY_DRIVER_CONTRACTTEXT_H
#define TALLY_DRIVER_CONTRACTTEXT_H

#include "tally/ops/Contract.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tally {

/// The record as `tally ops NAME` prints it: element types, rules of the
/// family, special values, course, result grids, and each parameter block with
/// its bytes and what they are made of.
std::string contractText(const nn::Contract &contract);

/// The same as attributes of the JSON object that is open.
void writeContractFields(llvm::json::OStream &os, const nn::Contract &contract);

} // namespace tally

#endif // TALLY_DRIVER_CONTRACTTEXT_H
