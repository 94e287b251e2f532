//===- JoinObjectsTest.cpp - several objects become one -------------------===//

#include "tally/cpu/JoinObjects.h"
#include "tally/cpu/EmitCode.h"
#include "tally/driver/link/SharedLibrary.h"
#include "tally/runtime/Host.h"
#include "tally/runtime/JitProgram.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tally;
using namespace tally::cpu;

namespace {

Family family() { return *findFamily(runtime::hostTarget()); }

std::string objectOf(const std::string &text) {
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  auto machine = makeMachine(family());
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  auto object = emitCode(*module, *machine);
  EXPECT_TRUE(object) << object.error().str();
  return *object;
}

/// out = twice(in) + table[2], of which another object has the last two.
const char *kUser = R"(
declare hidden i32 @twice(i32)
@table = external hidden constant [4 x i32]
define i32 @net_run(ptr %inputs, ptr %outputs, ptr %arena) {
  %in = load ptr, ptr %inputs
  %x = load i32, ptr %in
  %y = call i32 @twice(i32 %x)
  %at = getelementptr i32, ptr @table, i64 2
  %t = load i32, ptr %at
  %z = add i32 %y, %t
  %out = load ptr, ptr %outputs
  store i32 %z, ptr %out
  ret i32 0
})";
/// With memory of zeros, more than the object has bytes.
const char *kGiver = R"(
@table = hidden constant [4 x i32] [i32 1, i32 10, i32 100, i32 1000]
@own = internal global [65536 x i32] zeroinitializer
define hidden i32 @twice(i32 %x) noinline {
  %last = getelementptr i32, ptr @own, i64 65535
  store volatile i32 %x, ptr %last
  %again = load volatile i32, ptr %last
  %y = add i32 %x, %again
  ret i32 %y
})";

std::string joined(std::vector<std::string> texts) {
  std::vector<std::string> objects;
  for (const std::string &text : texts)
    objects.push_back(objectOf(text));
  auto object = joinObjects(objects);
  EXPECT_TRUE(object) << object.error().str();
  return object ? *object : std::string();
}

std::string refusalOf(ArrayRef<std::string> objects) {
  auto object = joinObjects(objects);
  if (object)
    return "accepted";
  EXPECT_EQ(object.error().rule, "CPU-2");
  EXPECT_EQ(object.error().kind, FailureKind::Internal);
  return object.error().message;
}

/// Names of an object's symbols, with their bindings.
StringMap<unsigned> bindingsOf(const std::string &object) {
  auto file = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(object, "object"));
  EXPECT_TRUE(static_cast<bool>(file));
  StringMap<unsigned> bindings;
  for (object::ELFSymbolRef symbol :
       cast<object::ELFObjectFileBase>(file->get())->symbols())
    bindings[cantFail(symbol.getName())] = symbol.getBinding();
  return bindings;
}

/// What the object's net_run makes of a number.
int32_t run(const std::string &object, int32_t x) {
  runtime::Interface about;
  about.symbol = "net";
  about.target = runtime::hostTarget();
  about.tiers = {runtime::hostTiers().front()};
  auto program = runtime::jitProgram(object, about);
  EXPECT_TRUE(program) << program.error().str();
  int32_t y = -1;
  const void *inputs[] = {&x};
  void *outputs[] = {&y};
  EXPECT_TRUE(program->run(inputs, outputs, nullptr));
  return y;
}

TEST(JoinObjects, EachFindsWhatTheOtherHas) {
  // 2 * 7 + 100, in either order.
  EXPECT_EQ(run(joined({kUser, kGiver}), 7), 114);
  EXPECT_EQ(run(joined({kGiver, kUser}), 7), 114);
  EXPECT_EQ(run(joined({kGiver, "", kUser, ""}), -3), 94);
}

TEST(JoinObjects, WhatTheySharedIsLocalThen) {
  std::string object = joined({kUser, kGiver});
  StringMap<unsigned> bindings = bindingsOf(object);
  EXPECT_EQ(bindings.lookup("net_run"), ELF::STB_GLOBAL);
  ASSERT_TRUE(bindings.contains("twice") && bindings.contains("table"));
  EXPECT_EQ(bindings["twice"], ELF::STB_LOCAL);
  EXPECT_EQ(bindings["table"], ELF::STB_LOCAL);
  EXPECT_EQ(bindings["own"], ELF::STB_LOCAL);
  // So another model with equal names may be in the same program.
  EXPECT_EQ(refusalOf({object, objectOf(kGiver)}), "accepted");
}

TEST(JoinObjects, ALinkerTakesTheResult) {
  auto library = linkSharedLibrary(joined({kUser, kGiver}), "net", "net.so");
  EXPECT_TRUE(library) << library.error().str();
}

TEST(JoinObjects, JoiningOneKeepsItsCode) {
  std::string object = joined({kUser, kGiver});
  std::string again = joinObjects({object}).value();
  EXPECT_EQ(run(again, 7), 114);
  EXPECT_EQ(joinObjects({again}).value(), again);
}

TEST(JoinObjects, TwoDefinitionsAreRefused) {
  EXPECT_NE(refusalOf({objectOf(kGiver), objectOf(kGiver)})
                .find("'table' is "
                      "defined twice"),
            std::string::npos);
}

TEST(JoinObjects, AHiddenSymbolOfNobodyIsRefused) {
  EXPECT_NE(refusalOf({objectOf(kUser)}).find("is defined nowhere"),
            std::string::npos);
}

TEST(JoinObjects, WhatIsNoObjectIsRefused) {
  EXPECT_NE(refusalOf({"text"}), "accepted");
  std::string cut = objectOf(kGiver);
  cut.resize(cut.size() - 1);
  EXPECT_NE(refusalOf({cut}), "accepted");
}

} // namespace
