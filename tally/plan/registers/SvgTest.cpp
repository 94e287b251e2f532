//===- SvgTest.cpp - what a drawing of a register plan shows --------------===//

#include "tally/plan/registers/Report.h"
#include "tally/plan/registers/TestPrograms.h"

#include <gtest/gtest.h>

using namespace tally::plan::registers;

static std::string draw(const char *text) {
  RegisterProblem problem = readProblem(text);
  return drawSvg(problem, planAndJudge(problem));
}

static size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; ++at)
    ++found;
  return found;
}

// Points: 1 is 0-2, 2 is 3-5, 3 is 6-8, 4 is 9-11, 16 pixels each from 70 on. p
// is written at point 2 and in flight from the clobbers of 2 until the reads of
// the wait, [2, 10): x = 70 + 2*16 = 102, 8*16 = 128 wide. Of that only the
// late read needs it from 4 on: x = 70 + 4*16 = 134, 6*16 = 96 wide. x, written
// by 3 at point 8 and read nowhere, is in the row below: y = 60 + 34.
TEST(RegistersSvg, HoldersAndFlights) {
  std::string svg = draw(R"(
registers 2
queue q
value p role base<1>
value x
op 1 def p
op 2 on q late p
op 3 def x
wait 4 q
)");
  EXPECT_NE(svg.find("<rect class=\"value\" x=\"102.0\" y=\"60.0\" "
                     "width=\"128.0\" height=\"26.0\" fill=\"#b7d3ea\" "
                     "stroke=\"#567\"><title>p (base&lt;1&gt;): 1 to "
                     "4</title></rect>"),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<rect class=\"flight\" x=\"134.0\" y=\"60.0\" "
                     "width=\"96.0\""),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<rect class=\"value\" x=\"198.0\" y=\"94.0\" "
                     "width=\"16.0\""),
            std::string::npos)
      << svg;
  EXPECT_EQ(count(svg, "class=\"value\""), 2u);
  EXPECT_EQ(count(svg, "class=\"flight\""), 1u);
  EXPECT_EQ(count(svg, "class=\"step\""), 4u);
}

// One box in each of two registers, and two clobbers.
TEST(RegistersSvg, PartsAreInTheirRegisters) {
  std::string svg = draw("registers 2\nvalue a\nop 1 def a\nop f clobber 0\n"
                         "op g clobber 1\nop 2 use a\n");
  EXPECT_EQ(count(svg, "<rect class=\"value\" x=\"102.0\" y=\"94.0\""), 1u);
  EXPECT_EQ(count(svg, "<rect class=\"value\" x=\"166.0\" y=\"60.0\""), 1u);
  EXPECT_EQ(count(svg, "class=\"clobber\""), 2u);
}

// a waits in slot 0, the third row; it visits r0 twice.
TEST(RegistersSvg, SaveArea) {
  std::string svg = draw("registers 1 slots 1\nvalue a\nvalue b\nop 1 def a\n"
                         "op 2 def b\nop 3 use b\nop 4 use a\n");
  EXPECT_EQ(count(svg, "slot 0</text>"), 1u);
  EXPECT_EQ(count(svg, "<title>save a</title>"), 1u);
  EXPECT_EQ(count(svg, "<title>reload a</title>"), 1u);
  EXPECT_EQ(count(svg, "y=\"94.0\" width"), 1u);
}

TEST(RegistersSvg, EmptyProgram) {
  EXPECT_EQ(count(draw("registers 1\n"), "<rect"), 0u);
}
