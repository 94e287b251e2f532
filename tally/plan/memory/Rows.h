//===- Rows.h - lists of different lengths in one array ---------*- C++ -*-===//

#ifndef TALLY_PLAN_MEMORY_ROWS_H
#define TALLY_PLAN_MEMORY_ROWS_H

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tally::plan::memory {

/// Row i is values[begins[i], begins[i + 1]).
template <typename T> class Rows {
public:
  Rows() = default;
  /// From (row, value) pairs in any order of rows; a row keeps their order.
  Rows(size_t rows, std::span<const std::pair<uint32_t, T>> pairs)
      : begins(rows + 1), values(pairs.size()) {
    for (const auto &[row, value] : pairs)
      ++begins[row + 1];
    for (size_t row = 0; row < rows; ++row)
      begins[row + 1] += begins[row];
    std::vector<size_t> next(begins.begin(), begins.end() - 1);
    for (const auto &[row, value] : pairs)
      values[next[row]++] = value;
  }

  /// Appends a row.
  void push(std::span<const T> row) {
    values.insert(values.end(), row.begin(), row.end());
    begins.push_back(values.size());
  }

  size_t rows() const { return begins.size() - 1; }
  size_t total() const { return values.size(); }
  std::span<const T> operator[](size_t row) const {
    return {values.data() + begins[row], begins[row + 1] - begins[row]};
  }

private:
  std::vector<size_t> begins = {0};
  std::vector<T> values;
};

} // namespace tally::plan::memory

#endif // TALLY_PLAN_MEMORY_ROWS_H
