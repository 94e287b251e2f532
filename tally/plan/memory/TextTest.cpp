//===- TextTest.cpp - text, tables, JSON and drawing of plans -------------===//

#include "tally/plan/memory/Text.h"
#include "tally/plan/memory/Report.h"
#include "tally/plan/memory/TestProblems.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::plan::memory;

static Refusal refusalOf(const std::string &text) {
  Refusal refusal;
  Result<MemoryProblem> problem = parseProblem(text, "p.mem");
  if (!problem) {
    refusal.diagnostic = problem.takeError();
    return refusal;
  }
  EXPECT_FALSE(planMemory(*problem, {}, &refusal)) << text;
  return refusal;
}

TEST(MemoryText, WritesWhatItReads) {
  const char *text = "limits encodable 4096 capacity 2048 budget 1024 "
                     "granule 16\n"
                     "bank low 0 512\nreserve vectors 0 64\n"
                     "queue dma\nqueue mul\nop load dma\n"
                     "op go mul after load\n"
                     "storage w 100 align 32 ops load,go in low\n"
                     "storage h 64 class state at 512\n"
                     "part v w 32 16 align 16 ops go\n"
                     "storage y 64 ops go\n"
                     "conflict w h\ninplace y w op go\n";
  EXPECT_EQ(writeProblem(*parseProblem(text, "p.mem")), text);
  EXPECT_EQ(writeProblem(*parseProblem("storage a 4 life -3--1,2-5 # twice\r\n",
                                       "p.mem")),
            "storage a 4 life -3--1,2-5\n");
}

TEST(MemoryText, RandomProblemsComeBack) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::string text = writeProblem(randomProblem(seed, 9));
    ASSERT_EQ(writeProblem(*parseProblem(text, "p.mem")), text);
  }
}

TEST(MemoryText, EveryRefusalIsExplained) {
  struct Case {
    const char *text, *message;
  } cases[] = {
      {"foo\n", "p.mem:1: 'foo' starts no statement [MEM-1]; statements: "
                "limits, bank, reserve, queue, op, storage, part, conflict, "
                "inplace"},
      {"limits size 4\n", "p.mem:1: 'size' is no limit [MEM-1]; limits: "
                          "encodable, capacity, budget, granule"},
      {"storage a\n",
       "p.mem:1: a number is missing at the end of the line [MEM-1]"},
      {"storage a x\n", "p.mem:1: 'x' is no whole number [MEM-1]"},
      {"storage a 4 life 3\n",
       "p.mem:1: '3' is no life [MEM-1]; write FIRST-END, as in 3-5"},
      {"storage a 4 class big\n",
       "p.mem:1: a class that there is not [MEM-1]; classes: transient, "
       "constant, state, caller"},
      {"storage a 4 size 4\n",
       "p.mem:1: 'size' says nothing about a storage [MEM-1]; align, life, "
       "ops, class, at and in do"},
      {"storage a 4\npart v a 0 4 at 4\n",
       "p.mem:2: 'at' says nothing about a part [MEM-1]; align, life and ops "
       "do"},
      {"storage a 4 in low\n", "p.mem:1: there is no bank 'low' yet [MEM-1]; "
                               "list it before this line"},
      {"queue q\nop a q\nop a q\n",
       "p.mem:3: operation 'a' is listed twice [MEM-1]; give each a name of "
       "its own"},
      {"queue q q\n",
       "p.mem:1: 'q' stands behind the end of the statement [MEM-1]"},
      {"limits granule 3\nstorage a 4\n",
       "a granule of 3 [MEM-2]; it is a power of two from 1 to 2^40"},
      {"limits budget -1\nstorage a 4\n",
       "a limit of -1 bytes [MEM-2]; leave out a limit that does not exist"},
      {"storage a -4\n", "'a' has -4 bytes [MEM-2]; sizes are from 0 on"},
      {"storage a 4 align 3\n",
       "alignment 3 of 'a' is no power of two up to 2^40 [MEM-2]; 1 stands for "
       "any address"},
      {"storage a 4 life 3-2\n", "'a' dies at 2, before its begin at 3 [MEM-3];"
                                 " lives are half-open: [begin, end)"},
      {"queue q\nop o q\nstorage a 4 life 0-2\nstorage b 4 ops o\n",
       "'a' has a life in steps, 'b' has accesses [MEM-3]; say in one way when "
       "storages are needed"},
      {"storage a 4\npart v a 2 4\n", "'v', 4 bytes at 2, is not inside of "
                                      "'a', 4 bytes [MEM-4]; make the root "
                                      "larger"},
      {"storage a 4 align 8\npart v a 2 2 align 4\n",
       "'v', 2 bytes into 'a', cannot be aligned to 4 together with 'a' "
       "[MEM-5]; pad what lies before it in the root, or make it a storage of "
       "its own and copy"},
      {"storage a 4 at 2 align 4\n", "'a' is fixed at 2, no multiple of 4 "
                                     "[MEM-6]; addresses are multiples of "
                                     "alignment and granule"},
      {"storage a 4 at 4\npart v a 2 2 align 4\n",
       "'a' is fixed at 4, where 'v' is not aligned to 4 [MEM-6]; addresses "
       "are "
       "multiples of alignment and granule"},
      {"reserve r 0 8\nstorage a 4 at 4\n",
       "'a' is fixed at 4, in reserved 'r' [0, 8) [MEM-6]; fix it elsewhere"},
      {"storage a 4 at 4 class caller\n",
       "'a' is fixed at 4, but is the caller's [MEM-6]; the caller chooses its "
       "address"},
      {"bank b 0 8\nstorage a 16 in b\n",
       "'a', 16 bytes, does not lie in bank 'b' [0, 8) [MEM-6]; choose another "
       "bank"},
      {"storage a 4 at 4 life 0-2\nstorage b 4 at 6 life 1-3\n",
       "'a' and 'b' are needed at one time and fixed at shared bytes, 4 and 6 "
       "[MEM-6]; fix one of them elsewhere"},
      {"bank b 8 8\n",
       "bank 'b' is [8, 8) [MEM-7]; it begins at 0 or later and "
       "ends behind its begin"},
      {"storage a 1152921504606846976\n",
       "all bytes together are 2^60 or more [MEM-8]; no memory is so large; a "
       "size may be wrong"},
      {"storage a 4\nconflict a a\n",
       "a conflict of 'a' and 'a', which have one root [MEM-9]; parts of one "
       "root never change place with each other"},
      {"bank b 0 8\nstorage a 8 in b life 0-2\nstorage c 8 in b life 0-2\n",
       "no plan was found that puts every storage into its bank, beside what "
       "is fixed and reserved there [MEM-14]; make banks larger or let "
       "storages "
       "lie anywhere"},
  };
  for (const Case &one : cases)
    EXPECT_EQ(refusalOf(one.text).diagnostic.str(), one.message);
}

// Problems that no text can say.
TEST(MemoryText, ProblemsFromProgramsAreCheckedToo) {
  auto ruleOf = [](const MemoryProblem &problem) {
    Status status = checkProblem(problem);
    return status ? "" : status.error().str();
  };
  Storage a{.name = "a", .bytes = 4}, b{.name = "b", .bytes = 4};
  a.root = 1;
  b.root = 0;
  MemoryProblem problem;
  problem.storages = {a, b};
  EXPECT_EQ(ruleOf(problem), "storages are parts of one another in a circle "
                             "[MEM-4]; one of them has to be the root");
  problem.storages[1].root = 7;
  EXPECT_EQ(ruleOf(problem),
            "'b' is part of storage 7 of 2 [MEM-4]; list its root");
  problem.storages = {{.name = "a", .bytes = 4}, {.name = "a", .bytes = 4}};
  EXPECT_EQ(ruleOf(problem), "two storages have the name 'a' [MEM-2]; give "
                             "each a name of its own");
  problem.storages.pop_back();
  problem.conflicts = {{0, 3}};
  EXPECT_EQ(ruleOf(problem), "a conflict names a storage that is not there "
                             "[MEM-9]; list the storage");
  problem.conflicts.clear();
  problem.storages[0].accesses = {2};
  EXPECT_EQ(ruleOf(problem), "'a' is accessed by operation 2 of 0 [MEM-3]; "
                             "list the operation first");
}

TEST(MemoryText, TablesOfInstancesAreRead) {
  EXPECT_EQ(
      writeProblem(*parseProblem("size,id,upper,lower,alignment,offset,gaps\r\n"
                                 "4,a,9,0,2,,3-5 7-8\r\n\r\n8,b,2,1,1,16,\r\n",
                                 "p.csv")),
      "storage a 4 align 2 life 0-3,5-7,8-9\nstorage b 8 life 1-2 at "
      "16\n");
}

TEST(MemoryText, WrongTablesAreExplained) {
  struct Case {
    const char *text, *message;
  } cases[] = {
      {"id,lower,upper\n", "p.mem:1: column 'size' is missing [MEM-1]; id, "
                           "lower, upper and size are needed"},
      {"id,lower,upper,sise\n",
       "p.mem:1: there is no column 'sise' [MEM-1]; columns: id, lower, upper, "
       "size, alignment, offset, gaps"},
      {"id,lower,upper,size,id\n", "p.mem:1: column 'id' comes twice [MEM-1]"},
      {"id,lower,upper,size\na,0,1\n",
       "p.mem:2: 3 cells, the header has 4 [MEM-1]"},
      {"id,lower,upper,size\na,0,1,9223372036854775808\n",
       "p.mem:2: '9223372036854775808' in column 'size' is no whole number "
       "[MEM-1]; numbers go up to 2^63 - 1"},
      {"id,lower,upper,size,gaps\na,0,9,4,3-12\n",
       "p.mem:2: gap '3-12' is not inside of the life, or not behind the gap "
       "before it [MEM-1]; gaps are in rising order"},
      {"id,lower,upper,size,gaps\na,0,9,4,3@4\n",
       "p.mem:2: '3@4' is no gap [MEM-1]; write FIRST-END, as in 3-5; windows "
       "(@) are not supported"},
      {"id,lower,upper,size\na,0,1,4\na,0,1,4\n",
       "two storages have the name 'a' [MEM-2]; give each a name of its own"},
      {"id,lower,upper,size\na,0,1,9223372036854775807\n",
       "all bytes together are 2^60 or more [MEM-8]; no memory is so large; a "
       "size may be wrong"},
  };
  for (const Case &one : cases)
    EXPECT_EQ(refusalOf(one.text).diagnostic.str(), one.message);
}

// Empty ones are nowhere: no bytes, or no time.
TEST(MemoryText, EmptyStoragesTakeNothing) {
  MemoryProblem problem = *parseProblem(
      "id,lower,upper,size\na,0,4,8\nb,1,3,0\nc,2,2,8\n", "p.csv");
  EXPECT_EQ(planMemory(problem)->plan.extent, 8);
  EXPECT_EQ(planMemory(MemoryProblem())->plan.extent, 0);
}

static constexpr const char *kSmall = "limits budget 20\n"
                                      "storage a 4 life 0-3\n"
                                      "storage b 8 life 1-5\n"
                                      "storage c 4 life 2-5\n"
                                      "storage h 2 class state\n"
                                      "part v b 4 4 life 1-2\n"
                                      "inplace c a\n";

// At step 1 a, b and h: 14; at step 2 c would add 4, but takes a's place.
TEST(MemoryText, ThePlanReadsLikeThis) {
  MemoryProblem problem = *parseProblem(kSmall, "p.mem");
  std::string text;
  llvm::raw_string_ostream os(text);
  printSolution(os, problem, *planMemory(problem));
  EXPECT_EQ(text,
            R"(extent 14 bytes, no plan is smaller (proof: needed together)
live at the peak 14, padding 0, reserved 0, largest hole 0, fragmentation 0
budget 20, 6 left
needed together at step 1:
  b 8
  a 4
  h 2
c in place of a: yes
addresses:
  0 b 8
  4 v 4 (part of b)
  8 a 4
  8 c 4
  12 h 2 (state)
)");
}

TEST(MemoryText, ThePlanHasAJsonForm) {
  MemoryProblem problem =
      *parseProblem("limits budget 9 granule 4\nstorage a 3 life 0-2\n"
                    "storage b 4 life 1-2\n",
                    "p.mem");
  std::string text;
  llvm::raw_string_ostream os(text);
  writeSolutionJson(os, problem, *planMemory(problem));
  EXPECT_EQ(text, R"({
  "version": 1,
  "limits": {
    "budget": 9,
    "granule": 4
  },
  "extent": 8,
  "lower_bound": 8,
  "optimal": true,
  "proof": "needed together",
  "proof_set": [
    "b",
    "a"
  ],
  "live_peak": 7,
  "peak_set": [
    "b",
    "a"
  ],
  "peak_step": 1,
  "largest_hole": {
    "begin": 0,
    "end": 0
  },
  "fragmentation": 0,
  "padding": 1,
  "reserved": 0,
  "steps": 0,
  "in_place": [],
  "storages": [
    {
      "name": "a",
      "offset": 0,
      "bytes": 3,
      "class": "transient"
    },
    {
      "name": "b",
      "offset": 4,
      "bytes": 4,
      "class": "transient"
    }
  ]
}
)");
}

// 12 at once, 10 granted. b goes on before and after step 2; a's 4 bytes end
// where c's begin.
TEST(MemoryText, ARefusalHasAJsonForm) {
  MemoryProblem problem = *parseProblem("limits capacity 10\n"
                                        "storage a 4 life 0-3\n"
                                        "storage b 4 life 0-5\n"
                                        "storage c 4 life 2-5\n",
                                        "p.mem");
  Refusal refusal;
  ASSERT_FALSE(planMemory(problem, {}, &refusal));
  std::string text;
  llvm::raw_string_ostream os(text);
  writeRefusalJson(os, problem, refusal);
  EXPECT_EQ(text.substr(0, text.find("\"limits\"")), R"({
  "version": 1,
  "refused": {
    "rule": "MEM-11",
    "message": "the plan ends at 12, 2 bytes beyond the capacity (capacity 10); no plan can end below 12; 12 bytes are needed together at step 2: 'a' 4, 'b' 4, 'c' 4",
    "hint": "raise the capacity to 12 bytes, or shrink 'c' by 2 bytes, or move 'c' (4 bytes) to another memory, or keep 'b' (4 bytes) elsewhere during step 2, or write 'c' in place of 'a'",
    "limit": "capacity",
    "allowed": 10,
    "missing": 2,
    "proven": true,
    "remedies": [
      {
        "kind": "raise-limit",
        "bytes": 12,
        "extent": 12,
        "text": "raise the capacity to 12 bytes"
      },
      {
        "kind": "shrink",
        "storage": "c",
        "bytes": 2,
        "extent": 10,
        "text": "shrink 'c' by 2 bytes"
      },
      {
        "kind": "move-away",
        "storage": "c",
        "bytes": 4,
        "extent": 8,
        "text": "move 'c' (4 bytes) to another memory"
      },
      {
        "kind": "spill",
        "storage": "b",
        "bytes": 4,
        "extent": 8,
        "text": "keep 'b' (4 bytes) elsewhere during step 2"
      },
      {
        "kind": "take-place",
        "storage": "c",
        "operand": "a",
        "bytes": 4,
        "extent": 8,
        "text": "write 'c' in place of 'a'"
      }
    ]
  },
  )");
  EXPECT_NE(text.find("\"offset\""), std::string::npos);
}

TEST(MemoryText, TheDrawingHasABoxForEachAndMarksThePeak) {
  MemoryProblem problem = *parseProblem(kSmall, "p.mem");
  std::string svg = drawSvg(problem, *planMemory(problem));
  auto count = [&](const std::string &what) {
    size_t found = 0;
    for (size_t at = 0; (at = svg.find(what, at)) != svg.npos; ++at)
      ++found;
    return found;
  };
  EXPECT_EQ(count("<rect class=\"peak\""), 3U);
  EXPECT_EQ(count("<rect class=\"storage\""), 1U);
  EXPECT_EQ(count("<rect class=\"part\""), 1U);
  EXPECT_EQ(count("a, 4 bytes at 8, [0, 3)"), 1U);
  EXPECT_EQ(count("peak 14 at step 1"), 1U);
  EXPECT_EQ(count("budget 20"), 1U);
}
