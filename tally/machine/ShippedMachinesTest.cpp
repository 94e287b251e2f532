//===- ShippedMachinesTest.cpp --------------------------------------------===//

#include "tally/machine/ShippedMachines.h"

#include "tally/machine/MachineReport.h"

#include "llvm/Support/JSON.h"

#include <filesystem>

#include <gtest/gtest.h>

using namespace tally;
using namespace tally::machine;

namespace {

TEST(ShippedMachines, AreTheFilesOfTheFolder) {
  size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::string(TALLY_SOURCE_DIR) + "/machines")) {
    ++files;
    std::string name = entry.path().stem();
    Result<Machine> machine = findMachine(name);
    ASSERT_TRUE(machine) << machine.error().str();
    EXPECT_EQ(machine->name, name);
    EXPECT_TRUE(readMachine(entry.path()));
  }
  EXPECT_EQ(shippedMachines().size(), files);
  EXPECT_GE(files, 3u);
}

TEST(ShippedMachines, OthersAreFiles) {
  EXPECT_TRUE(
      findMachine(std::string(TALLY_SOURCE_DIR) + "/machines/edge.yaml"));
  Result<Machine> none = findMachine("egde");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, FailureKind::System);
  EXPECT_EQ(none.error().hint,
            "a machine is a file, or one of edge, tiny, wide");
}

TEST(MachineReport, JsonHasTheFilesKeys) {
  for (const ShippedMachine &shipped : shippedMachines()) {
    std::string text;
    llvm::raw_string_ostream out(text);
    writeMachineJson(out, *findMachine(std::string(shipped.name)));
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
    ASSERT_TRUE(bool(value)) << text;
    const llvm::json::Object &root = *value->getAsObject();
    EXPECT_EQ(root.getInteger("version"), 1);
    EXPECT_EQ(root.getString("name"), llvm::StringRef(shipped.name));
    // JSON is YAML: without what the file does not have, it reads back.
    llvm::json::Object file = root;
    file.erase("version");
    file.erase("queues");
    for (llvm::json::Value &engine : *file.getArray("engines"))
      if (engine.getAsObject()->getString("kind") == "dma")
        engine.getAsObject()->erase("types");
    std::string again;
    llvm::raw_string_ostream(again) << llvm::json::Value(std::move(file));
    Result<Machine> machine = parseMachine(again, "json");
    ASSERT_TRUE(machine) << machine.error().str() << again;
    std::string second;
    llvm::raw_string_ostream secondOut(second);
    writeMachineJson(secondOut, *machine);
    EXPECT_EQ(second, text);
  }
}

} // namespace
