//===- MinCut.h - two colours at least cost ---------------------*- C++ -*-===//
//
// Points are to be coloured first or second. Some colours are given. A net is a
// set of points with a cost, paid once when its points do not all have one
// colour. Among all colourings of least total cost the solver returns one, in
// time that is polynomial: the problem is a minimum cut.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_REWRITE_LAYOUT_MINCUT_H
#define TALLY_REWRITE_LAYOUT_MINCUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tally::rewrite {

enum class Colour { First, Second };

/// The points 0 and 1 always exist: they have the colours First and Second.
struct ColouringProblem {
  static constexpr size_t kFirst = 0, kSecond = 1;

  struct Net {
    std::vector<size_t> points;
    int64_t cost = 0;
  };

  size_t points = 2;
  std::vector<Net> nets;

  size_t addPoint() { return points++; }
};

/// A colour of each point. The sum of all costs fits in 62 bits.
std::vector<Colour> cheapestColouring(const ColouringProblem &problem);

/// What a colouring costs.
int64_t colouringCost(const ColouringProblem &problem,
                      const std::vector<Colour> &colours);

} // namespace tally::rewrite

#endif // TALLY_REWRITE_LAYOUT_MINCUT_H
