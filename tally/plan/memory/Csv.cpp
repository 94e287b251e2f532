//===- Csv.cpp - tables of storages ---------------------------------------===//

#include "tally/plan/memory/Csv.h"

#include <algorithm>
#include <charconv>

using namespace tally;
using namespace tally::plan::memory;

namespace {
enum Column { Id, Lower, Upper, Size, Align, Offset, Gaps, ColumnCount };
constexpr const char *kColumns[] = {"id",        "lower",  "upper", "size",
                                    "alignment", "offset", "gaps"};
using Cells = std::vector<std::string_view>;

class TableParser {
public:
  explicit TableParser(const std::string &name) : name(name) {}
  Result<MemoryProblem> parse(std::string_view text);

private:
  Status header(const Cells &cells);
  Status row(const Cells &cells);
  Status number(const Cells &cells, Column column, int64_t &result) const;
  Status gaps(std::string_view text, Storage &storage) const;
  Diagnostic fail(std::string message, std::string hint = "") const;
  bool has(Column column) const { return places[column] != kNone; }

  std::string name;
  size_t lineNumber = 0, width = 0;
  int64_t places[ColumnCount];
  MemoryProblem problem;
};
} // namespace

Diagnostic TableParser::fail(std::string message, std::string hint) const {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = "MEM-1";
  failure.file = name + ":" + std::to_string(lineNumber);
  failure.message = std::move(message);
  failure.hint = std::move(hint);
  return failure;
}

static std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos)
    return "";
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

static Cells split(std::string_view line, char separator) {
  Cells cells;
  for (size_t at = 0;;) {
    size_t end = std::min(line.find(separator, at), line.size());
    cells.push_back(trimmed(line.substr(at, end - at)));
    if (end == line.size())
      return cells;
    at = end + 1;
  }
}

static bool readNumber(std::string_view text, int64_t &result) {
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, result);
  return error == std::errc() && end == last;
}

static std::string_view firstLine(std::string_view text) {
  return trimmed(text.substr(0, text.find('\n')));
}

bool plan::memory::isTable(std::string_view text) {
  Cells cells = split(firstLine(text), ',');
  return cells.size() > 1 &&
         std::find(cells.begin(), cells.end(), kColumns[Lower]) != cells.end();
}

Status TableParser::header(const Cells &cells) {
  width = cells.size();
  std::fill(std::begin(places), std::end(places), kNone);
  for (size_t place = 0; place < width; ++place) {
    auto found =
        std::find(std::begin(kColumns), std::end(kColumns), cells[place]);
    if (found == std::end(kColumns))
      return fail("there is no column '" + std::string(cells[place]) + "'",
                  "columns: id, lower, upper, size, alignment, offset, gaps");
    int64_t &known = places[found - std::begin(kColumns)];
    if (known != kNone)
      return fail("column '" + std::string(cells[place]) + "' comes twice");
    known = static_cast<int64_t>(place);
  }
  for (Column column : {Id, Lower, Upper, Size})
    if (!has(column))
      return fail("column '" + std::string(kColumns[column]) + "' is missing",
                  "id, lower, upper and size are needed");
  return Status::success();
}

Status TableParser::number(const Cells &cells, Column column,
                           int64_t &result) const {
  std::string_view text = cells[places[column]];
  if (readNumber(text, result))
    return Status::success();
  return fail("'" + std::string(text) + "' in column '" + kColumns[column] +
                  "' is no whole number",
              "numbers go up to 2^63 - 1");
}

/// Cuts gaps out of the one interval that `storage` has.
Status TableParser::gaps(std::string_view text, Storage &storage) const {
  Interval rest = storage.life.front();
  storage.life.clear();
  for (std::string_view word : split(text, ' ')) {
    if (word.empty())
      continue;
    Interval gap;
    size_t dash = word.find('-', 1);
    if (dash == word.npos || !readNumber(word.substr(0, dash), gap.begin) ||
        !readNumber(word.substr(dash + 1), gap.end))
      return fail("'" + std::string(word) + "' is no gap",
                  "write FIRST-END, as in 3-5; windows (@) are not supported");
    if (gap.begin < rest.begin || gap.end < gap.begin || gap.end > rest.end)
      return fail("gap '" + std::string(word) +
                      "' is not inside of the life, or not behind the gap "
                      "before it",
                  "gaps are in rising order");
    storage.life.push_back({rest.begin, gap.begin});
    rest.begin = gap.end;
  }
  storage.life.push_back(rest);
  return Status::success();
}

Status TableParser::row(const Cells &cells) {
  if (cells.size() != width)
    return fail(std::to_string(cells.size()) + " cells, the header has " +
                std::to_string(width));
  Storage storage;
  storage.name = cells[places[Id]];
  Interval life;
  for (auto [column, result] :
       {std::pair(Lower, &life.begin), std::pair(Upper, &life.end),
        std::pair(Size, &storage.bytes)})
    if (Status status = number(cells, column, *result); !status)
      return status;
  storage.life = {life};
  if (has(Align))
    if (Status status = number(cells, Align, storage.alignment); !status)
      return status;
  if (has(Offset) && !cells[places[Offset]].empty())
    if (Status status = number(cells, Offset, storage.at); !status)
      return status;
  if (has(Gaps))
    if (Status status = gaps(cells[places[Gaps]], storage); !status)
      return status;
  problem.storages.push_back(std::move(storage));
  return Status::success();
}

Result<MemoryProblem> TableParser::parse(std::string_view text) {
  bool hasHeader = false;
  while (!text.empty()) {
    ++lineNumber;
    std::string_view line = firstLine(text);
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (line.empty())
      continue;
    Cells cells = split(line, ',');
    if (Status status = hasHeader ? row(cells) : header(cells); !status)
      return status.takeError();
    hasHeader = true;
  }
  if (!hasHeader)
    return fail("the table has no header", "begin with id,lower,upper,size");
  return std::move(problem);
}

Result<MemoryProblem> plan::memory::parseTable(std::string_view text,
                                               const std::string &name) {
  return TableParser(name).parse(text);
}
