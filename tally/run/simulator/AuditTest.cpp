//===- AuditTest.cpp - sets of bytes, and effects against them ------------===//

#include "tally/run/simulator/Audit.h"
#include "tally/run/simulator/TestBench.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace tally;
using namespace tally::simulator;

TEST(ByteSets, AreSets) {
  std::mt19937_64 random = seeded(1);
  ByteSet bytes(300);
  std::set<int64_t> expected;
  for (int i = 0; i < 3000; ++i) {
    int64_t begin = int64_t(random() % 301), end = int64_t(random() % 301);
    if (begin > end)
      std::swap(begin, end);
    bool inserts = random() % 2;
    inserts ? bytes.insert(begin, end) : bytes.erase(begin, end);
    for (int64_t byte = begin; byte < end; ++byte)
      inserts ? void(expected.insert(byte)) : void(expected.erase(byte));
    begin = int64_t(random() % 300);
    end = begin + int64_t(random() % uint64_t(301 - begin));
    std::optional<int64_t> missing;
    for (int64_t byte = end - 1; byte >= begin; --byte)
      if (!expected.count(byte))
        missing = byte;
    ASSERT_EQ(bytes.firstMissing(begin, end), missing);
  }
}

TEST(ByteRuns, AreMergedAndCompared) {
  ByteRuns runs;
  for (auto [begin, end] : {std::pair(8, 12), {0, 4}, {4, 6}, {10, 11}, {9, 9}})
    runs.insert(begin, end);
  EXPECT_EQ(runs.sorted(), (std::vector<ByteRun>{{0, 6}, {8, 12}}));
  ByteRuns other;
  other.insert(0, 5);
  other.insert(8, 20);
  EXPECT_EQ(firstOutside(runs.sorted(), other.sorted()), (ByteRun{5, 6}));
  EXPECT_EQ(firstOutside(other.sorted(), runs.sorted()), (ByteRun{12, 20}));
  EXPECT_EQ(firstOutside({{8, 9}}, runs.sorted()), std::nullopt);
}

/// Two rows of 3 bytes, 8 apart, of SRAM.
static isa::Access rows(isa::AccessKind kind) {
  isa::Access access;
  access.kind = kind;
  access.space = isa::kSram;
  access.boxes = {{16, {1, 1, 2, 1}, {0, 0, 8, 0}, 3}};
  return access;
}

TEST(Audit, NamesTheFirstBytesThatDiffer) {
  std::vector<isa::Access> declared{rows(isa::AccessKind::Read),
                                    rows(isa::AccessKind::Write)};
  Touched touched;
  for (int64_t at : {24, 16}) {
    touched.read[isa::kSram].insert(at, at + 3);
    touched.written[isa::kSram].insert(at, at + 3);
  }
  EXPECT_EQ(audit(declared, touched), std::nullopt);
  Touched more = touched;
  more.read[isa::kSram].insert(19, 20);
  EXPECT_EQ(*audit(declared, more),
            "bytes [19, 20) of sram are read and not declared");
  Touched fewer = touched;
  fewer.written[isa::kSram] = {};
  fewer.written[isa::kSram].insert(16, 19);
  EXPECT_EQ(*audit(declared, fewer),
            "bytes [24, 27) of sram are declared as written and not touched");
  Touched elsewhere = touched;
  elsewhere.written[3].insert(0, 1);
  EXPECT_EQ(*audit(declared, elsewhere),
            "bytes [0, 1) of region 3 are written and not declared");
}
