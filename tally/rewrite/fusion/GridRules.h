//===- GridRules.h - what clamps and roundings do to codes ------*- C++ -*-===//
//
// Private to this folder. The second part of Predicates.def, on types and
// bounds alone; the proofs stand there.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_FUSION_GRIDRULES_H
#define TALLY_REWRITE_FUSION_GRIDRULES_H

#include "tally/graph/Types.h"

namespace tally::rewrite {

/// min(max(x, low), high), both possibly infinite.
struct ClampBounds {
  float low, high;
};

/// `second` after `first`, as one: the images of both infinities.
ClampBounds composed(ClampBounds first, ClampBounds second);

/// Predicate clampOnSameGrid.
bool clampOnSameGrid(nn::UniformQuantizedType input,
                     nn::UniformQuantizedType result);

/// Predicate clampIsIdentity.
bool clampIsIdentity(ClampBounds bounds, nn::UniformQuantizedType input,
                     nn::UniformQuantizedType result);

/// Predicate ratioKeepsRounding.
bool ratioKeepsRounding(nn::UniformQuantizedType first,
                        nn::UniformQuantizedType second);

/// Predicate saturatesAlike, when ratioKeepsRounding holds.
bool saturatesAlike(nn::UniformQuantizedType first,
                    nn::UniformQuantizedType second);

/// Real bounds whose codes on `second` are Q2(D1(qmin1)) and Q2(D1(qmax1));
/// nothing where fp32 does not reach them.
std::optional<ClampBounds> saturationBounds(nn::UniformQuantizedType first,
                                            nn::UniformQuantizedType second);

/// The scale of `second` as a multiple of `first`'s, for messages: "2", "1/3"
/// or "1.27".
std::string ratioText(nn::UniformQuantizedType first,
                      nn::UniformQuantizedType second);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_FUSION_GRIDRULES_H
