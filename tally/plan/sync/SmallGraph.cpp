//===- SmallGraph.cpp - cliques and colourings of 64 vertices -------------===//
//
// Both searches branch and cut. A clique grows by one candidate at a time and
// stops where all candidates together could not make it larger. A colouring
// takes the vertex whose neighbours have the most different colours (Brelaz
// 1979, DSATUR) and tries every colour in use and one new one, below the best
// count so far. Exponential in the worst case, hence the limit of steps.
//
//===----------------------------------------------------------------------===//

#include "tally/plan/sync/Coloring.h"

#include <bit>

using namespace tally::plan::sync;

namespace {
class CliqueSearch {
public:
  CliqueSearch(const std::vector<uint64_t> &adjacent, int64_t steps)
      : adjacent(adjacent), steps(steps) {}

  void grow(uint64_t clique, uint64_t candidates) {
    if (std::popcount(clique) > std::popcount(best))
      best = clique;
    while (candidates && --steps > 0) {
      if (std::popcount(clique) + std::popcount(candidates) <=
          std::popcount(best))
        return;
      int vertex = std::countr_zero(candidates);
      uint64_t bit = uint64_t(1) << vertex;
      candidates &= ~bit;
      grow(clique | bit, candidates & adjacent[vertex]);
    }
  }

  uint64_t best = 0;

private:
  const std::vector<uint64_t> &adjacent;
  int64_t steps;
};

class ColorSearch {
public:
  ColorSearch(const std::vector<uint64_t> &adjacent, int64_t steps)
      : adjacent(adjacent), steps(steps), colors(adjacent.size(), kNone) {
    best.count = static_cast<uint32_t>(adjacent.size()) + 1;
  }

  void extend(size_t colored, uint32_t used) {
    if (used >= best.count || steps <= 0)
      return;
    --steps;
    if (colored == colors.size()) {
      best.colors = colors;
      best.count = used;
      return;
    }
    size_t vertex = mostConstrained();
    uint64_t forbidden = colorsAround(vertex);
    for (uint32_t color = 0; color <= used && color < 64; ++color) {
      if (forbidden >> color & 1)
        continue;
      colors[vertex] = color;
      extend(colored + 1, std::max(used, color + 1));
      colors[vertex] = kNone;
    }
  }

  bool isDone() const { return steps > 0; }

  SmallColoring best;

private:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t colorsAround(size_t vertex) const {
    uint64_t around = 0;
    for (uint64_t rest = adjacent[vertex]; rest; rest &= rest - 1) {
      uint32_t color = colors[std::countr_zero(rest)];
      if (color != kNone)
        around |= uint64_t(1) << color;
    }
    return around;
  }

  size_t mostConstrained() const {
    size_t choice = 0;
    int most = -1;
    for (size_t vertex = 0; vertex < colors.size(); ++vertex) {
      if (colors[vertex] != kNone)
        continue;
      int weight = std::popcount(colorsAround(vertex)) * 64 +
                   std::popcount(adjacent[vertex]);
      if (weight > most) {
        most = weight;
        choice = vertex;
      }
    }
    return choice;
  }

  const std::vector<uint64_t> &adjacent;
  int64_t steps;
  std::vector<uint32_t> colors;
};
} // namespace

uint64_t tally::plan::sync::largestClique(const std::vector<uint64_t> &adjacent,
                                          int64_t steps) {
  CliqueSearch search(adjacent, steps);
  size_t count = adjacent.size();
  search.grow(0, count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1);
  return search.best;
}

SmallColoring
tally::plan::sync::colorSmallGraph(const std::vector<uint64_t> &adjacent,
                                   int64_t steps) {
  ColorSearch search(adjacent, steps);
  search.extend(0, 0);
  search.best.isMinimal = search.isDone();
  return search.best;
}
