//===- RealText.h - a real number in a message ------------------*- C++ -*-===//

#ifndef TALLY_SUPPORT_REALTEXT_H
#define TALLY_SUPPORT_REALTEXT_H

#include <charconv>
#include <string>

namespace tally {

/// The fewest digits that read back as the same number of the same type, in
/// scientific form where that is shorter: "0.1", "1e-12", "inf". A scale of
/// 1e-12 shown with a fixed number of decimals would read as zero.
template <typename Real> std::string shortest(Real value) {
  char text[32]; // the longest double needs 24
  auto written = std::to_chars(text, text + sizeof text, value);
  return {text, written.ptr};
}

} // namespace tally

#endif // TALLY_SUPPORT_REALTEXT_H
