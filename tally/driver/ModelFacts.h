//===- ModelFacts.h - the facts of a model for its report -------*- C++ -*-===//

#ifndef TALLY_DRIVER_MODELFACTS_H
#define TALLY_DRIVER_MODELFACTS_H

#include "tally/driver/ModelArguments.h"
#include "tally/driver/ModelReport.h"

namespace tally {

/// Reads the model and, as far as that goes, its graph. Open dimensions are
/// taken as 1 for the figures, which say so. Fails when the file is no model.
Result<ModelReport> examineModel(const ModelArguments &arguments);

} // namespace tally

#endif // TALLY_DRIVER_MODELFACTS_H
