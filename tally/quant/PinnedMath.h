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
// Largest error found, in units in the last place of fp32, denormal results
// included, over one in five of all fp32 arguments (pow: 20 million pairs); the
// tests hold each function to the bound:
//
//   function   found   bound        function   found   bound
//   exp        0.877   0.9          softplus   1.58    1.7
//   expm1      1.494   1.5          erf        1.076   1.1
//   log        0.872   0.9          sin        0.785   0.8
//   log1p      0.876   0.9          cos        0.783   0.8
//   sigmoid    1.967   2            rsqrt      1.491   1.5
//   tanh       1.336   1.35         pow        0.872   0.9
//
// geluErf and geluTanh are composed step by step as their formulas read: their
// error is below |x| 2^-22, but not small relative to results near zero.
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
