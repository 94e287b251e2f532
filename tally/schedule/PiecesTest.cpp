//===- PiecesTest.cpp - boxes of a tensor's indices -----------------------===//

#include "tally/schedule/Pieces.h"

#include "gtest/gtest.h"

#include <random>

using namespace tally;
using namespace tally::schedule;
using Numbers = llvm::SmallVector<int64_t>;

namespace {
struct Case {
  Numbers shape, order;
  int64_t budget = 1;
};

Case randomCase(std::mt19937 &random) {
  Case result;
  int64_t rank = int64_t(random() % 5);
  for (int64_t d = 0; d < rank; ++d) {
    result.shape.push_back(1 + int64_t(random() % 9));
    result.order.push_back(d);
  }
  std::shuffle(result.order.begin(), result.order.end(), random);
  if (rank > 0 && random() % 2)
    result.order.pop_back(); // one that stays whole
  result.budget = 1 + int64_t(random() % 200);
  return result;
}

int64_t flat(const Numbers &shape, const Numbers &at) {
  int64_t index = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    index = index * shape[d] + at[d];
  return index;
}

/// Adds one to the count of each index of the piece.
void mark(const Numbers &shape, const Piece &piece, std::vector<int> &counts) {
  for (int64_t i = 0; i < countOf(piece); ++i) {
    Numbers at(shape.size());
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= piece[d].size)
      at[d] = piece[d].begin + rest % piece[d].size;
    ++counts[size_t(flat(shape, at))];
  }
}

} // namespace

TEST(Pieces, CoverEveryIndexOnceWithinTheBudget) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    Case c = randomCase(random);
    Numbers sizes = pieceSizes(c.shape, c.order, c.budget, countOf);
    Numbers cut(c.shape);
    for (int64_t d : c.order)
      cut[d] = 1;
    int64_t least = countOf(wholeOf(cut));
    std::vector<int> counts(size_t(countOf(wholeOf(c.shape))));
    Status status = forPieces(c.shape, sizes, c.order, [&](const Piece &piece) {
      EXPECT_LE(countOf(piece), std::max(c.budget, least));
      mark(c.shape, piece, counts);
      return Status::success();
    });
    ASSERT_TRUE(bool(status));
    EXPECT_TRUE(std::ranges::all_of(counts, [](int n) { return n == 1; }));
  }
}

TEST(Pieces, CutTheFirstDimensionsFirstAndEvenly) {
  EXPECT_EQ(pieceSizes({4, 100, 64}, {0, 1, 2}, 2000, countOf),
            (Numbers{1, 25, 64}));
  EXPECT_EQ(pieceSizes({4, 100, 64}, {0, 1, 2}, 25600, countOf),
            (Numbers{4, 100, 64}));
}

TEST(Pieces, StopAtTheFirstFailure) {
  int calls = 0;
  Status status = forPieces({3}, {1}, {0}, [&](const Piece &) {
    return ++calls == 2 ? Status(Diagnostic{.message = "no"})
                        : Status::success();
  });
  EXPECT_FALSE(bool(status));
  EXPECT_EQ(calls, 2);
}

TEST(Pieces, OfABroadcastOperandStayWholeWhereItHasOneElement) {
  Piece result = {{2, 3}, {4, 5}, {1, 2}};
  EXPECT_EQ(broadcastPiece({7, 1, 3}, result), (Piece{{2, 3}, {0, 1}, {1, 2}}));
  EXPECT_EQ(broadcastPiece({3}, result), (Piece{{1, 2}}));
  EXPECT_EQ(broadcastPiece({}, result), Piece());
}

TEST(Pieces, AreViews) {
  Tensor tensor;
  tensor.offset = 5;
  tensor.shape = {4, 6};
  tensor.strides = {1, 4};
  Tensor slice = sliceOf(tensor, {{1, 2}, {3, 1}});
  EXPECT_EQ(slice.offset, 5 + 1 + 12);
  EXPECT_EQ(slice.shape, (Numbers{2, 1}));
  EXPECT_EQ(slice.strides, tensor.strides);
  EXPECT_EQ(memoryOrder(tensor), (Numbers{1, 0}));
}
