//===- CommandTest.cpp - rules, fields and times of commands --------------===//

#include "tally/emit/isa/Formula.h"
#include "tally/emit/isa/TestCommands.h"
#include "tally/emit/isa/Timing.h"

#include <set>

using namespace tally;
using namespace tally::isa;
using machine::ElementType;
using machine::EngineKind;
using machine::Machine;

namespace {

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

TEST(Tables, CodesAndNamesAreUnique) {
  std::set<int64_t> codes;
  std::set<std::pair<EngineKind, std::string_view>> names;
  for (const CommandInfo &info : allCommands()) {
    EXPECT_TRUE(codes.insert(int64_t(info.code)).second) << info.name;
    EXPECT_TRUE(names.insert({info.kind, info.name}).second) << info.name;
    EXPECT_EQ(findCommand(int64_t(info.code)), &info);
    EXPECT_EQ(findCommand(info.kind, info.name), &info);
    EXPECT_LT(int64_t(info.code), 128); // bits of go
  }
  EXPECT_EQ(findCommand(0), nullptr);
}

TEST(Tables, FieldsFitTheirInstructions) {
  for (EngineKind kind :
       {EngineKind::Dma, EngineKind::Matrix, EngineKind::Vector}) {
    std::set<std::string_view> names;
    EXPECT_LE(allFields(kind).size(), 128u); // bits of cfg.i
    for (const FieldInfo &field : allFields(kind)) {
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
      EXPECT_GE(field.bits, 1) << field.name;
      EXPECT_LE(field.bits, 32) << field.name;
      EXPECT_LE(field.minimum(), field.initial) << field.name;
      EXPECT_GE(field.maximum(), field.initial) << field.name;
      EXPECT_EQ(&allFields(kind)[*findField(kind, field.name)], &field);
    }
  }
  EXPECT_EQ(allFields(EngineKind::Matrix)[size_t(MatrixField::ResType)].name,
            "res.type");
  EXPECT_EQ(allFields(EngineKind::Vector)[size_t(VectorField::Scale)].name,
            "scale");
}

TEST(Tables, FunctionsAreNumberedByCommand) {
  EXPECT_EQ(infoOf(Function::IntAdd).number, 0);
  EXPECT_EQ(infoOf(Function::FloatAdd).number, 0);
  EXPECT_EQ(infoOf(Function::FloatSub).number, 1);
  for (const FunctionInfo &info : allFunctions()) {
    EXPECT_EQ(&infoOf(info.function), &info);
    EXPECT_EQ(findFunction(info.command, info.number), &info);
    EXPECT_EQ(findFunction(info.command, info.name), &info);
    EXPECT_LT(info.number, 128); // bits of the field
  }
  EXPECT_EQ(findFunction(CommandCode::VectorCopy, 0), nullptr);
}

TEST(Configuration, ChecksRanges) {
  Configuration config(EngineKind::Dma);
  EXPECT_EQ(config.get(DmaField::Size0), 1);
  EXPECT_TRUE(config.set(DmaField::SrcStride0, -5));
  EXPECT_EQ(config.get(DmaField::SrcStride0), -5);
  EXPECT_EQ(config.set(DmaField::Element, 16).error().message,
            "field 'element' of a dma engine takes 0 to 15, not 16");
  EXPECT_EQ(config.set(uint32_t(99), 0).error().message,
            "a dma engine has no field 99; the last is 29");
  EXPECT_EQ(config.set(uint32_t(99), 0).error().rule, "ISA-FIELD");
  // A register's bits are signed where the field is.
  EXPECT_TRUE(config.setRegister(uint32_t(DmaField::SrcStride0), 0xffffffff));
  EXPECT_EQ(config.get(DmaField::SrcStride0), -1);
  EXPECT_TRUE(config.setRegister(uint32_t(DmaField::SrcOffset), 0xffffffff));
  EXPECT_EQ(config.get(DmaField::SrcOffset), 4294967295);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

void expectRefused(const Command &command, const std::string &rule,
                   const std::string &message,
                   const Machine &machine = edge()) {
  Status status = checkCommand(command, machine);
  ASSERT_FALSE(status) << message;
  EXPECT_EQ(status.error().kind, FailureKind::Model);
  EXPECT_EQ(status.error().rule, rule) << status.error().str();
  EXPECT_EQ(status.error().message, message);
}

/// One byte from the constants to SRAM.
Command oneByte() { return dmaCommand({{DmaField::SrcSpace, 0}}); }

/// 4 f32 at 0 in SRAM to 64.
Command fourFloats(CommandCode code = CommandCode::VectorFloat) {
  return vectorCommand(code, {{VectorField::Size3, 4},
                              {VectorField::AType, int64_t(ElementType::F32)},
                              {VectorField::AStride3, 4},
                              {VectorField::BType, int64_t(ElementType::F32)},
                              {VectorField::BStride3, 4},
                              {VectorField::OutType, int64_t(ElementType::F32)},
                              {VectorField::OutOffset, 64},
                              {VectorField::OutStride3, 4}});
}

Command onePixel() { return matrixCommand({{MatrixField::WeightsOffset, 64}}); }

TEST(Rules, OfEnginesAndSpaces) {
  ASSERT_TRUE(checkCommand(oneByte(), edge()));
  Command command = oneByte();
  command.queue = *edge().findQueue("vector");
  expectRefused(command, "CMD-ENGINE",
                "dma command 'copy': engine 'vector' is a vector engine");
  command = oneByte();
  set(command, DmaField::SrcSpace, kAccumulators);
  expectRefused(command, "CMD-SPACE",
                "dma command 'copy': 'src' is in accumulators, which the "
                "engine does not reach there");
  set(command, DmaField::SrcSpace, 200);
  expectRefused(command, "CMD-SPACE",
                "dma command 'copy': 'src' is in space 200, which the engine "
                "does not reach there");
  command = oneByte();
  set(command, DmaField::DstSpace, kArenaRegion);
  expectRefused(command, "CMD-WAY",
                "dma command 'copy': engine 'load' only moves in, but 'dst' is "
                "region 1");
  command = oneByte();
  command.queue = *edge().findQueue("store");
  expectRefused(command, "CMD-WAY",
                "dma command 'copy': engine 'store' only moves out, but 'src' "
                "is region 0");
  // Accumulators hold i32 alone.
  command = fourFloats(CommandCode::VectorRescale);
  set(command, VectorField::ASpace, kAccumulators);
  set(command, VectorField::AType, int64_t(ElementType::I16));
  set(command, VectorField::OutType, int64_t(ElementType::I8));
  set(command, VectorField::ParamsBytes, 56);
  set(command, VectorField::ParamsOffset, 1024);
  expectRefused(command, "CMD-SPACE",
                "vector command 'rescale': 'a' is in accumulators, which the "
                "engine does not reach there");
  set(command, VectorField::AType, int64_t(ElementType::I32));
  EXPECT_TRUE(checkCommand(command, edge()));
}

TEST(Rules, OfFields) {
  Command command = oneByte();
  set(command, DmaField::Element, 3);
  expectRefused(command, "CMD-FIELD",
                "dma command 'copy': field 'element' is 3; 1, 2, 4 or 8 is "
                "meant");
  command = oneByte();
  set(command, DmaField::Size1, 0);
  expectRefused(command, "CMD-FIELD",
                "dma command 'copy': field 'size1' is 0; at least 1 is needed");
  command = oneByte();
  set(command, DmaField::WrapSide, 3);
  expectRefused(command, "CMD-FIELD",
                "dma command 'copy': field 'wrap.side' is 3; 0, 1 or 2 is "
                "meant");
  set(command, DmaField::WrapSide, 2);
  set(command, DmaField::WrapStart, 1);
  expectRefused(command, "CMD-FIELD",
                "dma command 'copy': field 'wrap.start' is 1; a start below "
                "wrap.length is meant");
  set(command, DmaField::WrapStart, 0);
  set(command, DmaField::Size0, 2);
  expectRefused(command, "CMD-FIELD",
                "dma command 'copy': field 'wrap.length' is 1; the command "
                "uses 2 indices of the ring");
  command = oneByte();
  for (uint32_t d = 0; d < 4; ++d)
    set(command, uint32_t(DmaField::Size0) + d, 1 << 20);
  expectRefused(command, "CMD-FIELD",
                "dma command 'copy': 'src' has more than 4294967296 elements");
  command = onePixel();
  set(command, MatrixField::StepW, 0);
  expectRefused(command, "CMD-FIELD",
                "matrix command 'conv': field 'step.w' is 0; at least 1 is "
                "needed");
  command = onePixel();
  set(command, MatrixField::KernelH, 4095);
  set(command, MatrixField::KernelW, 17);
  expectRefused(command, "CMD-FIELD",
                "matrix command 'conv': field 'kernel.h' is 4095; a window has "
                "at most 65536 taps");
  command = onePixel();
  set(command, MatrixField::Depthwise, 1);
  set(command, MatrixField::Channels, 2);
  expectRefused(command, "CMD-FIELD",
                "matrix command 'conv': field 'channels' is 2; a depthwise "
                "command reads 1 channel for each result");
  command = onePixel();
  set(command, MatrixField::Emit, 1);
  expectRefused(command, "CMD-FIELD",
                "matrix command 'conv': field 'params.bytes' is 0; the stages "
                "take at least 8 bytes");
  command = fourFloats();
  set(command, VectorField::Function, 100);
  expectRefused(command, "CMD-FIELD",
                "vector command 'float': field 'function' is 100; there is no "
                "such function");
}

TEST(Rules, OfTypes) {
  Command command = onePixel();
  set(command, MatrixField::InType, int64_t(ElementType::I16));
  expectRefused(command, "CMD-TYPE",
                "matrix command 'conv': 'in.type' is i16; the array takes "
                "8-bit codes");
  command = onePixel();
  set(command, MatrixField::Emit, 1);
  set(command, MatrixField::ParamsBytes, 8);
  set(command, MatrixField::OutType, int64_t(ElementType::F32));
  expectRefused(command, "CMD-TYPE",
                "matrix command 'conv': 'out.type' is f32; the output stage "
                "takes integers of up to 32 bits");
  command = fourFloats();
  set(command, VectorField::BType, int64_t(ElementType::I32));
  expectRefused(command, "CMD-TYPE",
                "vector command 'float': 'b.type' is i32, which the command "
                "does not take there");
  command = fourFloats(CommandCode::VectorInteger);
  set(command, VectorField::AType, int64_t(ElementType::I32));
  set(command, VectorField::BType, int64_t(ElementType::I16));
  expectRefused(command, "CMD-TYPE",
                "vector command 'integer': 'b.type' is i16, but must be a's, "
                "i32");
  command = fourFloats(CommandCode::VectorCopy);
  set(command, VectorField::OutType, int64_t(ElementType::I8));
  expectRefused(command, "CMD-TYPE",
                "vector command 'copy': 'a.type' is f32, whose size is not "
                "that of the result's i8");
  Machine machine = edge();
  machine.engines.back().types = {ElementType::I8};
  expectRefused(fourFloats(), "CMD-TYPE",
                "vector command 'float': 'a.type' is f32, which engine "
                "'vector' does not take",
                machine);
}

TEST(Rules, OfPlaces) {
  Command command = fourFloats();
  set(command, VectorField::AOffset, 2);
  expectRefused(command, "CMD-ALIGN",
                "vector command 'float': offset or strides of 'a' are not "
                "multiples of its 4 bytes");
  command = fourFloats();
  command.firstAddend = 1 << 20;
  expectRefused(command, "CMD-BOUNDS",
                "vector command 'float': 'a' takes bytes 1048576 to 1048592 of "
                "SRAM, which has 1048576");
  command = oneByte();
  command.firstAddend = -1;
  expectRefused(command, "CMD-BOUNDS",
                "dma command 'copy': 'src' takes bytes -1 to 0 of region 0, "
                "which begins at 0");
  command = fourFloats();
  set(command, VectorField::OutOffset, 12);
  expectRefused(command, "CMD-OVERLAP",
                "vector command 'float': 'a' and 'out' share bytes");
  set(command, VectorField::OutOffset, 0);
  EXPECT_TRUE(checkCommand(command, edge())) << "element by element";
  set(command, VectorField::OutOffset, 64);
  set(command, VectorField::OutStride3, 0);
  expectRefused(command, "CMD-OVERLAP",
                "vector command 'float': strides of 'out' let two of its "
                "elements share bytes, or interleave its dimensions");
}

TEST(Rules, OfUnits) {
  Machine machine = edge();
  machine.engines[2].matrix.depthwiseChannels = 0;
  Command command = onePixel();
  set(command, MatrixField::Depthwise, 1);
  expectRefused(command, "CMD-UNIT",
                "matrix command 'conv': engine 'matrix' has no depthwise mode; "
                "use groups",
                machine);
  machine.requantize.pop_back();
  command = fourFloats(CommandCode::VectorRescale);
  set(command, VectorField::AType, int64_t(ElementType::I32));
  set(command, VectorField::OutType, int64_t(ElementType::I16));
  set(command, VectorField::ParamsBytes, 56);
  set(command, VectorField::ParamsOffset, 1024);
  expectRefused(command, "CMD-UNIT",
                "vector command 'rescale': machine 'edge' has no requantize "
                "unit for results of 16 bits",
                machine);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

int64_t valueOf(const std::string &text, std::vector<int64_t> values = {}) {
  Result<Formula> formula = Formula::parse(text);
  EXPECT_TRUE(formula) << formula.error().str();
  return formula->evaluate(values);
}

TEST(Formula, Evaluates) {
  EXPECT_EQ(valueOf("2 + 3 * (4 - 1)"), 11);
  EXPECT_EQ(valueOf("ceil(7 / 2) - max(1, 2)"), 2);
  EXPECT_EQ(valueOf("if(c, a.b, ceil(1 / 0))", {1, 5}), 5);
  EXPECT_EQ(valueOf("a * a * a", {int64_t(1) << 31}), INT64_MAX);
  EXPECT_EQ(Formula::parse("y + x * y")->variables(),
            (std::vector<std::string>{"y", "x"}));
}

TEST(Formula, SaysWhereItEnds) {
  for (const char *text :
       {"", "1 +", "max(1)", "ceil(1, 2)", "min(1, 2)", "(1", "1 2", "a $ b"})
    EXPECT_FALSE(Formula::parse(text)) << text;
  EXPECT_EQ(Formula::parse("a $ b").error().message,
            "formula 'a $ b' ends at character 2");
}

TEST(Timing, EveryFormulaOfTheTablesIsKnown) {
  Status status = checkFormulas();
  EXPECT_TRUE(status) << status.error().str();
}

TEST(Timing, OfDma) {
  // 2 rows of 3 bytes in a region are 2 granules of 32: 64 bytes at 32.
  Command command = oneByte();
  set(command, DmaField::Size2, 2);
  set(command, DmaField::Size3, 3);
  set(command, DmaField::SrcStride2, 100);
  set(command, DmaField::SrcStride3, 1);
  set(command, DmaField::DstStride2, 3);
  set(command, DmaField::DstStride3, 1);
  EXPECT_EQ(cyclesOf(command, edge()), 200 + 2);
  // Within SRAM bytes count as they are: ceil(6 / 32).
  set(command, DmaField::SrcSpace, kSram);
  set(command, DmaField::SrcOffset, 4096);
  EXPECT_EQ(cyclesOf(command, edge()), 200 + 1);
}

TEST(Timing, OfTheArray) {
  // 100 pixels, 3 x 3 x 16 = 144 terms in ceil(144 / 32) = 5 passes,
  // ceil(100 / 64) = 2 blocks of columns, 32 cycles to load 2048 weights.
  Command command = onePixel();
  set(command, MatrixField::OutH, 10);
  set(command, MatrixField::OutW, 10);
  set(command, MatrixField::Columns, 100);
  set(command, MatrixField::Channels, 16);
  set(command, MatrixField::KernelH, 3);
  set(command, MatrixField::KernelW, 3);
  EXPECT_EQ(cyclesOf(command, edge()), 32 + 5 * 2 * 100);
  // Few pixels: loading weights takes longer than using them.
  set(command, MatrixField::OutH, 1);
  EXPECT_EQ(cyclesOf(command, edge()), 32 + 5 * 2 * 32);
  // One term: the output stage is the bottleneck: 10 x 100 / 64 = 15.6.
  set(command, MatrixField::KernelH, 1);
  set(command, MatrixField::KernelW, 1);
  set(command, MatrixField::Emit, 1);
  set(command, MatrixField::OutW, 1000);
  set(command, MatrixField::Columns, 1);
  EXPECT_EQ(cyclesOf(command, edge()), 32 + 1000);
  // Depthwise: 64 channels x 9 taps in a cycle.
  set(command, MatrixField::Emit, 0);
  set(command, MatrixField::Depthwise, 1);
  set(command, MatrixField::Columns, 100);
  set(command, MatrixField::KernelH, 3);
  set(command, MatrixField::KernelW, 4);
  EXPECT_EQ(cyclesOf(command, edge()), 2 * 2 * 1000);
  // ceil(1000 x 100 / 64) = 1563 is less than that.
  set(command, MatrixField::Emit, 1);
  EXPECT_EQ(cyclesOf(command, edge()), 4000);
  set(command, MatrixField::KernelH, 1);
  set(command, MatrixField::Columns, 64);
  EXPECT_EQ(cyclesOf(command, edge()), 1000);
}

TEST(Timing, OfVectors) {
  Command command = fourFloats();
  set(command, VectorField::Size2, 100); // 400 elements, 64 lanes: 7 steps
  EXPECT_EQ(cyclesOf(command, edge()), 7);
  set(command, VectorField::Function, infoOf(Function::FloatDiv).number);
  EXPECT_EQ(cyclesOf(command, edge()), 7 * 4);
  set(command, VectorField::Function, infoOf(Function::FloatSigmoid).number);
  EXPECT_EQ(cyclesOf(command, edge()), 7 * 8);
  command.code = CommandCode::VectorReduce; // along dimension 3: 100 results
  set(command, VectorField::Function, 0);
  EXPECT_EQ(cyclesOf(command, edge()), 7 + 100);
  command.code = CommandCode::VectorSoftmax;
  EXPECT_EQ(cyclesOf(command, edge()), 7 * (1 + 2 * 4));
  command.code = CommandCode::VectorPool; // 2 x 3 taps: ceil(2400 / 64) = 38
  set(command, VectorField::KernelH, 2);
  set(command, VectorField::KernelW, 3);
  EXPECT_EQ(cyclesOf(command, edge()), 38 + 7);
}

TEST(Timing, OfTheProcessor) {
  EXPECT_EQ(cyclesOf(Opcode::Addi, edge()), 1);
  EXPECT_EQ(cyclesOf(Opcode::Go, edge()), 1);
}

} // namespace
