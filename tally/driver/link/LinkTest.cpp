//===- LinkTest.cpp - what becomes of an object ---------------------------===//

#include "tally/driver/link/CHeader.h"
#include "tally/driver/link/SharedLibrary.h"
#include "tally/driver/link/StaticLibrary.h"
#include "tally/runtime/Context.h"
#include "tally/runtime/JitProgram.h"
#include "tally/support/AtomicFile.h"
#include "tally/support/ReadFile.h"
#include "tally/support/TestFolder.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace tally;
using namespace tally::runtime;

namespace {
std::string object() {
  auto bytes = readFile(DOUBLER_OBJECT);
  EXPECT_TRUE(bytes);
  return {bytes->begin(), bytes->end()};
}

std::vector<uint8_t> library() {
  auto bytes = linkSharedLibrary(object(), "doubler", "libdoubler.so");
  EXPECT_TRUE(bytes) << bytes.error().str();
  return bytes ? *bytes : std::vector<uint8_t>();
}

std::vector<int64_t> runDoubler(const Program &program) {
  eval::Tensor input;
  input.shape = {2, 3};
  input.element = eval::Element::I8;
  input.allocate();
  for (int i = 0; i < 6; ++i)
    input.data<int8_t>()[i] = static_cast<int8_t>(10 * i - 20);
  auto context = Context::create(program);
  auto outputs = context->run({input});
  EXPECT_TRUE(outputs) << outputs.error().str();
  return outputs ? eval::toInts((*outputs)[0]) : std::vector<int64_t>();
}
// 2 * {-20, -10, 0, 10, 20, 30}
std::vector<int64_t> doubled() { return {-40, -20, 0, 20, 40, 60}; }

/// Runs a shell command; its exit status.
int shell(const std::string &command) {
  return std::system(command.c_str()); // NOLINT: a test's own command
}

void write(const std::string &path, std::string_view text) {
  Status status = writeFileAtomically(path, text);
  ASSERT_TRUE(status) << status.error().str();
}
} // namespace

TEST(SharedLibrary, RunsAfterBeingLoaded) {
  TestFolder folder;
  Status status =
      writeFileAtomically(folder.path("d.so"), library(), FileMode::Executable);
  ASSERT_TRUE(status);
  auto artifact = readArtifact(folder.path("d.so"));
  ASSERT_TRUE(artifact) << artifact.error().str();
  EXPECT_EQ(artifact->form, ArtifactForm::SharedLibrary);
  auto program = loadLibrary(*artifact);
  ASSERT_TRUE(program) << program.error().str();
  EXPECT_EQ(runDoubler(*program), doubled());
}

TEST(SharedLibrary, ExportsOnlyWhatCallersUse) {
  TestFolder folder;
  ASSERT_TRUE(writeFileAtomically(folder.path("d.so"), library()));
  void *handle = dlopen(folder.path("d.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(handle) << dlerror();
  EXPECT_TRUE(dlsym(handle, "doubler_run"));
  EXPECT_TRUE(dlsym(handle, "doubler_interface"));
  EXPECT_FALSE(dlsym(handle, "doubler_helper"));
  EXPECT_FALSE(dlsym(handle, "other_run"));
  dlclose(handle);
}

TEST(SharedLibrary, EqualObjectsGiveEqualBytes) {
  auto once = library();
  EXPECT_EQ(once, library());
  // No path of the linker's files is inside.
  std::string text(once.begin(), once.end());
  EXPECT_EQ(text.find("tally-link"), std::string::npos);
}

TEST(SharedLibrary, AnyDamagedByteIsFound) {
  auto good = library();
  for (size_t at = 0; at < good.size(); at += 101) {
    auto bytes = good;
    bytes[at] ^= 0x10;
    EXPECT_FALSE(parseArtifact(bytes, "file")) << at;
  }
  auto cut = good;
  cut.resize(cut.size() / 2);
  EXPECT_FALSE(parseArtifact(cut, "file"));
  // The last byte belongs to the section table or padding; the checksum tells.
  good.push_back(0);
  auto longer = parseArtifact(good, "file");
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().rule, "ART-5");
}

TEST(SharedLibrary, ConstantsAreTheOnlyBytesThatALoadDoesNotCheck) {
  auto good = library();
  auto artifact = parseArtifact(good, "file", Check::AllButConstants);
  ASSERT_TRUE(artifact) << artifact.error().str();
  const SealedConstants constants = *artifact->constants;
  // Of doubler.c: the number 2 and the description.
  size_t text =
      artifact->interface.constBytes + toJson(artifact->interface).size();
  EXPECT_GE(constants.bytes, text);
  EXPECT_LT(constants.bytes, text + 64);
  for (size_t at = 0; at < good.size(); at += 7) {
    auto bytes = good;
    bytes[at] ^= 0x10;
    bool isConstant = at - constants.offset < constants.bytes;
    // The second checksum of the seal is that of the constants.
    auto rest = parseArtifact(bytes, "file", Check::AllButConstants);
    bool isTheirChecksum = rest && rest->constants->hash != constants.hash;
    EXPECT_EQ(static_cast<bool>(rest), isConstant || isTheirChecksum) << at;
    EXPECT_FALSE(parseArtifact(bytes, "file")) << at;
  }
}

TEST(SharedLibrary, DamagedConstantsStopEveryRun) {
  TestFolder folder;
  std::string path = folder.path("d.so");
  auto bytes = library();
  auto sound = parseArtifact(bytes, "file");
  ASSERT_TRUE(sound);
  bytes[sound->constants->offset + sound->constants->bytes - 1] ^= 0x10;
  ASSERT_TRUE(writeFileAtomically(path, bytes));
  auto whole = readArtifact(path);
  ASSERT_FALSE(whole);
  EXPECT_EQ(whole.error().rule, "ART-5");
  auto program = loadProgram(path);
  ASSERT_TRUE(program) << program.error().str();
  auto context = Context::create(*program);
  ASSERT_TRUE(context);
  Status refused = program->verify();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "ART-5");
  EXPECT_EQ(refused.error().file, path);
  eval::Tensor input{{2, 3}, eval::Element::I8, std::nullopt, nullptr};
  input.allocate();
  auto outputs = context->run({input});
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().rule, "ART-5");
}

TEST(SharedLibrary, ALibraryWithoutItsEntryIsRefused) {
  TestFolder folder;
  auto artifact = parseArtifact(library(), "file");
  ASSERT_TRUE(artifact);
  ASSERT_TRUE(writeFileAtomically(folder.path("d.so"), artifact->file));
  artifact->path = folder.path("d.so");
  artifact->interface.symbol = "tripler";
  auto program = loadLibrary(*artifact);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().rule, "RUN-6");
}

TEST(SharedLibrary, WhatTheSystemCannotLoadIsReported) {
  auto artifact = parseArtifact(library(), "/nonexistent/d.so");
  ASSERT_TRUE(artifact);
  auto program = loadLibrary(*artifact);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().rule, "RUN-5");
  EXPECT_EQ(program.error().kind, FailureKind::System);
}

TEST(SharedLibrary, AnObjectTheLinkerRefusesIsReported) {
  auto refused = linkSharedLibrary("no object at all", "net", "net.so");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "LINK-1");
  EXPECT_EQ(refused.error().kind, FailureKind::Internal);
}

TEST(StaticLibrary, HoldsTheObject) {
  auto bytes = makeStaticLibrary(object(), "doubler.o");
  ASSERT_TRUE(bytes) << bytes.error().str();
  auto artifact = parseArtifact(*bytes, "d.a");
  ASSERT_TRUE(artifact) << artifact.error().str();
  EXPECT_EQ(artifact->form, ArtifactForm::Archive);
  std::string member(artifact->elf().begin(), artifact->elf().end());
  EXPECT_EQ(member, object());
  auto program = jitProgram(member, artifact->interface);
  ASSERT_TRUE(program) << program.error().str();
  EXPECT_EQ(runDoubler(*program), doubled());
  EXPECT_EQ(*bytes, *makeStaticLibrary(object(), "doubler.o"));
}

TEST(CHeader, LetsAProgramCallTheLibrary) {
  TestFolder folder;
  auto artifact = readArtifact(DOUBLER_OBJECT);
  ASSERT_TRUE(artifact);
  write(folder.path("d.h"), cHeader(artifact->interface));
  auto archive = makeStaticLibrary(object(), "doubler.o");
  ASSERT_TRUE(writeFileAtomically(folder.path("d.a"), *archive));
  const char *program = R"(
#include "d.h"
static _Alignas(DOUBLER_ARENA_ALIGNMENT) char arena[DOUBLER_ARENA_BYTES];
int main(void) {
  const int shape[] = DOUBLER_INPUT_IN_X_SHAPE;
  int8_t x[DOUBLER_INPUT_IN_X_ELEMENTS] = {1, 2, 3, 4, 5, -6};
  int32_t y[DOUBLER_OUTPUT_Y_ELEMENTS];
  if (shape[0] != 2 || shape[1] != 3 || DOUBLER_INPUT_IN_X_SCALE != 0.5f ||
      DOUBLER_INPUT_IN_X_ZERO_POINT != 3 || sizeof y != DOUBLER_OUTPUT_Y_BYTES)
    return 3;
  if (doubler_call(x, y, arena))
    return 4;
  return y[5] == -12 ? 0 : 5;
}
)";
  write(folder.path("main.c"), program);
  std::string in = "cd " + folder.path("") + " && ";
  EXPECT_EQ(shell(in + "cc -std=c11 -Wall -Wextra -Werror main.c d.a -o main"),
            0);
  EXPECT_EQ(shell(folder.path("main")), 0);
  for (const char *compiler :
       {"cc -std=c99 -pedantic", "c++ -std=c++98 -pedantic -xc++"}) {
    write(folder.path("only.c"), "#include \"d.h\"\n#include \"d.h\"\n");
    EXPECT_EQ(shell(in + compiler +
                    " -Wall -Wextra -Werror -Wno-unused-function "
                    "-Wno-long-long -fsyntax-only only.c"),
              0)
        << compiler;
  }
}

TEST(CHeader, HostileNamesStayInTheirPlace) {
  Interface interface;
  interface.symbol = "net";
  interface.producer = "*/ int oops; /*";
  interface.model = "a\nint oops;\n\\";
  for (const char *name :
       {"x", "X", "int", "1", "", "x y", "*/ int oops; /*", "arena", "größe",
        "x_rank", "b_bytes", "b", "requires", "unix", "int8_t", "net_run"})
    interface.inputs.push_back({name, eval::Element::F32, {}, std::nullopt});
  interface.outputs.push_back({"x", eval::Element::F16, {0}, std::nullopt});
  TestFolder folder;
  write(folder.path("net.h"), cHeader(interface));
  for (const char *compiler :
       {"cc -std=c99 -xc", "cc -std=gnu17 -xc", "c++ -std=c++20 -xc++"})
    EXPECT_EQ(shell("cd " + folder.path("") + " && " + compiler +
                    " -Wall -Wextra -Werror -Wno-unused-function "
                    "-fsyntax-only net.h"),
              0)
        << compiler << "\n"
        << cHeader(interface);
}

TEST(CHeader, IdentifiersOfAnyText) {
  EXPECT_EQ(cIdentifier("a/b.c"), "a_b_c");
  EXPECT_EQ(cIdentifier("9lives"), "_9lives");
  EXPECT_EQ(cIdentifier(""), "_");
}
