//===- SegmentText.cpp - what people see of segments ----------------------===//

#include "tally/driver/fallback/SegmentText.h"
#include "tally/driver/Reports.h"
#include "tally/driver/tensors/Summary.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;
using runtime::HostReason;
using runtime::Segment;
using runtime::SegmentFile;
namespace json = llvm::json;

namespace {
/// Where each tensor comes from: a segment, or -1 for the model's inputs.
class Sources {
public:
  explicit Sources(const SegmentFile &file) : sources(file.tensors.size(), -1) {
    for (size_t s = 0; s < file.segments.size(); ++s)
      for (int64_t tensor : file.segments[s].outputs)
        sources[static_cast<size_t>(tensor)] = static_cast<int64_t>(s);
  }
  int64_t of(int64_t tensor) const {
    return sources[static_cast<size_t>(tensor)];
  }

private:
  std::vector<int64_t> sources;
};
} // namespace

static int64_t bytesOf(const SegmentFile &file,
                       const std::vector<int64_t> &tensors) {
  int64_t bytes = 0;
  for (int64_t tensor : tensors)
    bytes += file.tensors[static_cast<size_t>(tensor)].byteCount();
  return bytes;
}

static int64_t borderBytes(const SegmentFile &file) {
  int64_t bytes = 0;
  for (const Segment &segment : file.segments)
    bytes += bytesOf(file, segment.inputs) + bytesOf(file, segment.outputs);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printBorders(llvm::raw_ostream &os, const SegmentFile &file,
                         const Sources &sources, const Segment &segment) {
  auto line = [&](const char *word, int64_t number, const std::string &from) {
    const auto &tensor = file.tensors[static_cast<size_t>(number)];
    os << "      " << word << " '" << tensor.name << "' " << typeText(tensor)
       << ", " << bytesText(tensor.byteCount()) << from << "\n";
  };
  for (int64_t tensor : segment.inputs)
    line("in ", tensor,
         sources.of(tensor) < 0
             ? ", the caller's"
             : ", from segment " + std::to_string(sources.of(tensor)));
  for (int64_t tensor : segment.outputs)
    line("out", tensor, "");
}

/// Reasons of one rule and message are one line with a count.
static void printReasons(llvm::raw_ostream &os, const Segment &segment) {
  llvm::MapVector<std::pair<llvm::StringRef, llvm::StringRef>,
                  std::vector<const HostReason *>>
      same;
  for (const HostReason &reason : segment.reasons)
    same[{reason.rule, reason.message}].push_back(&reason);
  for (const auto &[what, reasons] : same) {
    os << "      why node '" << reasons.front()->node << "'";
    if (reasons.size() > 1)
      os << " and " << reasons.size() - 1 << " more";
    os << ": " << what.second << " [" << what.first << "]\n";
  }
}

static void printNodes(llvm::raw_ostream &os, const Segment &segment) {
  os << segment.nodes.size()
     << (segment.nodes.size() == 1 ? " node" : " nodes");
  if (segment.nodes.empty())
    return;
  os << ", '" << segment.nodes.front() << "'";
  if (segment.nodes.size() > 1)
    os << " to '" << segment.nodes.back() << "'";
}

void tally::printSegments(llvm::raw_ostream &os, const SegmentFile &file) {
  Sources sources(file);
  os << "segments: " << file.segments.size() << ", "
     << bytesText(borderBytes(file)) << " across their borders\n";
  for (size_t s = 0; s < file.segments.size(); ++s) {
    const Segment &segment = file.segments[s];
    os << "  " << s << " " << segment.target << ": ";
    printNodes(os, segment);
    os << " (" << segment.member << ")\n";
    printBorders(os, file, sources, segment);
    printReasons(os, segment);
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeTensors(json::OStream &os, const char *key,
                         const SegmentFile &file, const Sources &sources,
                         const std::vector<int64_t> &tensors) {
  os.attributeArray(key, [&] {
    for (int64_t number : tensors)
      os.object([&] {
        const auto &tensor = file.tensors[static_cast<size_t>(number)];
        os.attribute("name", json::fixUTF8(tensor.name));
        os.attribute("type", eval::name(tensor.element));
        os.attribute("bytes", tensor.byteCount());
        if (sources.of(number) >= 0)
          os.attribute("segment", sources.of(number));
      });
  });
}

static void writeReasons(json::OStream &os, const Segment &segment) {
  os.attributeArray("reasons", [&] {
    for (const HostReason &reason : segment.reasons)
      os.object([&] {
        os.attribute("node", json::fixUTF8(reason.node));
        os.attribute("rule", json::fixUTF8(reason.rule));
        os.attribute("message", json::fixUTF8(reason.message));
      });
  });
}

void tally::writeSegmentList(json::OStream &os, const SegmentFile &file) {
  Sources sources(file);
  os.attribute("border_bytes", borderBytes(file));
  os.attributeArray("segments", [&] {
    for (const Segment &segment : file.segments)
      os.object([&] {
        os.attribute("target", json::fixUTF8(segment.target));
        os.attribute("member", json::fixUTF8(segment.member));
        os.attributeArray("nodes", [&] {
          for (const std::string &node : segment.nodes)
            os.value(json::fixUTF8(node));
        });
        writeTensors(os, "inputs", file, sources, segment.inputs);
        writeTensors(os, "outputs", file, sources, segment.outputs);
        writeReasons(os, segment);
      });
  });
}
