//===- OpsPch.h - precompiled header of sources on nn operators -*- C++ -*-===//

#include "cmake/MlirPch.h"

#include "tally/ops/Ops.h"
