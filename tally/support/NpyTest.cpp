//===- NpyTest.cpp - NumPy's array files ----------------------------------===//

#include "tally/support/Npy.h"

#include "tally/support/TestFolder.h"
#include "tally/support/TestPython.h"
#include "tally/support/TestRequirement.h"

#include <gtest/gtest.h>

using namespace tally;

namespace {

/// A file of format version 1.0 with this header text and data.
std::vector<uint8_t> npyFile(std::string_view header,
                             std::vector<uint8_t> data) {
  std::vector<uint8_t> file = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  file.push_back(uint8_t(header.size() & 0xff));
  file.push_back(uint8_t(header.size() >> 8));
  file.insert(file.end(), header.begin(), header.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

std::string describe(std::string_view descr, std::string_view order,
                     std::string_view shape) {
  return "{'descr': '" + std::string(descr) +
         "', 'fortran_order': " + std::string(order) +
         ", 'shape': " + std::string(shape) + ", }";
}

/// The rule that refuses `file`, or "accepted".
std::string refusal(const std::vector<uint8_t> &file) {
  Result<NpyArray> array = parseNpy(file, "t.npy");
  if (array)
    return "accepted";
  EXPECT_EQ(array.error().file, "t.npy");
  return array.error().rule;
}

std::string headerRefusal(std::string_view header) {
  return refusal(npyFile(header, {}));
}

TEST(Npy, ReadsRowMajor) {
  Result<NpyArray> array = parseNpy(
      npyFile(describe("<i2", "False", "(2, 1)"), {1, 0, 0xff, 0xff}), "t");
  ASSERT_TRUE(bool(array)) << array.error().str();
  EXPECT_EQ(array->dtype, NpyType::I16);
  EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 1}));
  auto values = array->elements<int16_t>();
  EXPECT_EQ(std::vector(values.begin(), values.end()),
            (std::vector<int16_t>{1, -1}));
}

TEST(Npy, ConvertsColumnMajor) {
  // [[1, 2, 3],   column by column: 1 4 2 5 3 6
  //  [4, 5, 6]]
  Result<NpyArray> array = parseNpy(
      npyFile(describe("|u1", "True", "(2, 3)"), {1, 4, 2, 5, 3, 6}), "t");
  ASSERT_TRUE(bool(array)) << array.error().str();
  EXPECT_EQ(array->bytes, (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
}

TEST(Npy, ConvertsColumnMajorOfThreeAxes) {
  // Element (i, j, k) of shape (2, 2, 2) has value 4i + 2j + k; stored with i
  // fastest, then j: (0,0,0) (1,0,0) (0,1,0) (1,1,0) (0,0,1) ...
  Result<NpyArray> array = parseNpy(
      npyFile(describe("|u1", "True", "(2, 2, 2)"), {0, 4, 2, 6, 1, 5, 3, 7}),
      "t");
  ASSERT_TRUE(bool(array)) << array.error().str();
  EXPECT_EQ(array->bytes, (std::vector<uint8_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Npy, ConvertsBigEndian) {
  // 0x01020304 = 16909060
  Result<NpyArray> array =
      parseNpy(npyFile(describe(">i4", "False", "(1,)"), {1, 2, 3, 4}), "t");
  ASSERT_TRUE(bool(array)) << array.error().str();
  EXPECT_EQ(array->elements<int32_t>()[0], 16909060);
}

TEST(Npy, BooleansBecomeZeroAndOne) {
  Result<NpyArray> array =
      parseNpy(npyFile(describe("|b1", "False", "(3,)"), {0, 1, 200}), "t");
  ASSERT_TRUE(bool(array)) << array.error().str();
  EXPECT_EQ(array->bytes, (std::vector<uint8_t>{0, 1, 1}));
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  EXPECT_EQ(refusal(npyFile(describe("|u1", "False", "()"), {9})), "accepted");
  EXPECT_EQ(refusal(npyFile(describe("<f8", "True", "(0, 3)"), {})),
            "accepted");
  // The strides of this empty column-major array would not fit 63 bits.
  EXPECT_EQ(refusal(npyFile(
                describe("<f8", "True", "(0, 4611686018427387904, 4)"), {})),
            "accepted");
}

TEST(Npy, ReadsVersions2And3) {
  std::string header = describe("|i1", "False", "(1,)");
  for (uint8_t version : {2, 3}) {
    std::vector<uint8_t> file = npyFile(header, {7});
    file[6] = version;
    file.insert(file.begin() + 10, {0, 0}); // the length has four bytes
    EXPECT_EQ(refusal(file), "accepted") << int(version);
  }
}

TEST(Npy, WritesWhatNumpyWrites) {
  // Computed by hand: 10 + 118 = 128 is the next multiple of 64.
  NpyArray array{NpyType::F32, {2, 3}, std::vector<uint8_t>(24)};
  std::vector<uint8_t> file = serializeNpy(array);
  EXPECT_EQ(file.size(), 128u + 24u);
  EXPECT_EQ(file[8], 118);
  EXPECT_EQ(file[9], 0);
  EXPECT_EQ(file[127], '\n');
  std::string expected = "{'descr': '<f4', 'fortran_order': False, "
                         "'shape': (2, 3), } ";
  EXPECT_EQ(std::string(file.begin() + 10,
                        file.begin() + 10 + int64_t(expected.size())),
            expected);
}

constexpr NpyType allTypes[] = {NpyType::Bool, NpyType::I8,  NpyType::I16,
                                NpyType::I32,  NpyType::I64, NpyType::U8,
                                NpyType::U16,  NpyType::U32, NpyType::U64,
                                NpyType::F16,  NpyType::F32, NpyType::F64};

TEST(Npy, EveryTypeAndRankSurvives) {
  for (NpyType type : allTypes)
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {1}, {0}}) {
      size_t count = shape == std::vector<int64_t>{0} ? 0 : 1;
      NpyArray array{type, shape,
                     std::vector<uint8_t>(count * npyTypeSize(type), 1)};
      Result<NpyArray> back = parseNpy(serializeNpy(array), "t");
      ASSERT_TRUE(bool(back)) << back.error().str();
      EXPECT_EQ(*back, array) << npyTypeName(type);
    }
}

TEST(NpyRules, Magic1) {
  EXPECT_EQ(refusal({}), "NPY-MAGIC-1");
  EXPECT_EQ(refusal({'P', 'K', 3, 4, 0, 0, 0, 0, 0, 0}), "NPY-MAGIC-1");
}

TEST(NpyRules, Version1) {
  std::vector<uint8_t> file = npyFile(describe("|i1", "False", "()"), {7});
  file[6] = 4;
  EXPECT_EQ(refusal(file), "NPY-VERSION-1");
  file.resize(7);
  EXPECT_EQ(refusal(file), "NPY-VERSION-1");
}

TEST(NpyRules, Header1) {
  std::vector<uint8_t> file = npyFile(describe("|i1", "False", "()"), {7});
  file.resize(9);
  EXPECT_EQ(refusal(file), "NPY-HEADER-1");
  file.resize(40);
  EXPECT_EQ(refusal(file), "NPY-HEADER-1");
  // Version 2 with a header of 4 GiB - 1 in a file of 12 bytes.
  EXPECT_EQ(refusal({0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 255, 255, 255, 255}),
            "NPY-HEADER-1");
}

TEST(NpyRules, Header2) {
  for (const char *header : {
           "",
           "{}",
           "{'descr': '<f4'}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
           "{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}",
           "{descr: '<f4'}",
           "{'descr' '<f4'}",
           "{'descr': '<f4' 'shape': ()}",
           "{'descr\": '<f4'}",
           "{'descr': '<f4', 'fortran_order': False, "
           "'shape': (9223372036854775808,)}",
       })
    EXPECT_EQ(headerRefusal(header), "NPY-HEADER-2") << header;
}

TEST(NpyRules, Dtype1) {
  for (const char *type :
       {"<c8", "<U3", "|O", "<M8[s]", "=f4", "<f16", "|i4", "f4", "|V2", ""})
    EXPECT_EQ(headerRefusal(describe(type, "False", "()")), "NPY-DTYPE-1")
        << type;
  Result<NpyArray> array = parseNpy(
      npyFile("{'descr': [('a', '<f4')], 'fortran_order': False}", {}), "t");
  ASSERT_FALSE(bool(array));
  EXPECT_EQ(array.error().rule, "NPY-DTYPE-1");
  EXPECT_EQ(array.error().kind, FailureKind::Unsupported);
}

TEST(NpyRules, Shape1) {
  // 2^62 elements of 2 bytes are 2^63 bytes, one more than fits.
  EXPECT_EQ(headerRefusal(describe("<i2", "False", "(4611686018427387904,)")),
            "NPY-SHAPE-1");
  EXPECT_EQ(headerRefusal(describe("|i1", "False",
                                   "(4294967296, 4294967296, 4294967296)")),
            "NPY-SHAPE-1");
  std::string rank65 = "(";
  for (int i = 0; i < 65; ++i)
    rank65 += "1,";
  EXPECT_EQ(headerRefusal(describe("|i1", "False", rank65 + ")")),
            "NPY-SHAPE-1");
}

TEST(NpyRules, Size1) {
  EXPECT_EQ(refusal(npyFile(describe("<i2", "False", "(2,)"), {1, 2, 3})),
            "NPY-SIZE-1");
  EXPECT_EQ(refusal(npyFile(describe("<i2", "False", "(1,)"), {1, 2, 3})),
            "NPY-SIZE-1");
  // An exbibyte claimed by a file of a hundred bytes.
  EXPECT_EQ(headerRefusal(describe("|i1", "False", "(1152921504606846976,)")),
            "NPY-SIZE-1");
}

TEST(NpyRules, MissingFileIsNamed) {
  Result<NpyArray> array = readNpy("/nonexistent/a.npy");
  ASSERT_FALSE(bool(array));
  EXPECT_EQ(array.error().rule, "FILE-IN-1");
  EXPECT_EQ(array.error().file, "/nonexistent/a.npy");
}

/// NumPy reads what was written, writes it again in its own way (column-major,
/// big-endian), and both must read back as the array that was written.
TEST(NpyAgainstNumpy, RoundTrip) {
  std::string python = testPython(TALLY_SOURCE_DIR);
  TALLY_REQUIRE_OR_SKIP(!python.empty(),
                        "no Python environment (scripts/setup makes one)");
  TestFolder folder;
  for (NpyType type : allTypes) {
    NpyArray array{type, {2, 3, 4}, {}};
    for (int64_t i = 0; i < 24 * npyTypeSize(type); ++i)
      array.bytes.push_back(type == NpyType::Bool ? i % 2 : uint8_t(i % 120));
    ASSERT_TRUE(bool(writeNpy(folder.path("a.npy"), array)));
    ASSERT_TRUE(
        runPython(python,
                  "import sys, io, numpy as np;"
                  "d, name = sys.argv[1:];"
                  "raw = open(d + '/a.npy', 'rb').read();"
                  "a = np.load(d + '/a.npy');"
                  "assert a.dtype.name == name and a.shape == (2,3,4);"
                  "s = io.BytesIO(); np.save(s, a);"
                  "assert s.getvalue() == raw, 'bytes differ';"
                  "b = np.asfortranarray(a);"
                  "np.save(d + '/f.npy', b);"
                  "np.save(d + '/b.npy',"
                  " a.astype(a.dtype.newbyteorder('>')))",
                  folder.path("") + " " + std::string(npyTypeName(type))));
    for (const char *name : {"f.npy", "b.npy"}) {
      Result<NpyArray> back = readNpy(folder.path(name));
      ASSERT_TRUE(bool(back)) << back.error().str();
      EXPECT_EQ(*back, array) << name << " " << npyTypeName(type);
    }
  }
}

} // namespace
