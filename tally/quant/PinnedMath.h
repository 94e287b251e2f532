//===- PinnedMath.h - float functions with one meaning ---------*- C++ -*-===//
//
// The normative fp32 functions. Each is a fixed, branch-free operation sequence
// over a builder (pinned/Builder.h lists its operations); all executors
// instantiate or emit the same sequence and so agree bit for bit.
//
//   template <class B> typename B::F32 exp(B &b, typename B::F32 x);
//
// and likewise expm1, log, log1p, sigmoid, tanh, softplus, erf, geluErf,
// geluTanh, sin, cos, rsqrt; pow(b, x, y). NaN results are canonical.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_QUANT_PINNEDMATH_H
#define TALLY_QUANT_PINNEDMATH_H

#include "tally/quant/pinned/Builder.h"
#include "tally/quant/pinned/Erf.h"
#include "tally/quant/pinned/Exp.h"
#include "tally/quant/pinned/Log.h"
#include "tally/quant/pinned/Pow.h"
#include "tally/quant/pinned/Sum.h"
#include "tally/quant/pinned/Trig.h"

#endif // TALLY_QUANT_PINNEDMATH_H
