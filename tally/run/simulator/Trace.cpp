//===- Trace.cpp - what happened when -------------------------------------===//

#include "tally/run/simulator/Trace.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;
using namespace tally::simulator;
using machine::Machine;
namespace json = llvm::json;

static std::string laneName(const Machine &machine, int32_t lane) {
  return lane == TraceSpan::kProcessor ? "processor"
                                       : machine.queues[size_t(lane)].name;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
class TextTrace : public TraceSink {
public:
  TextTrace(llvm::raw_ostream &os, const Machine &machine)
      : os(os), machine(machine) {}

  void add(const TraceSpan &span) override {
    os << llvm::format("%10lld %10lld  %-10s %06x  ", (long long)span.begin,
                       (long long)span.end,
                       laneName(machine, span.lane).c_str(), span.pc)
       << span.text;
    if (!span.source.empty())
      os << "  ; " << span.source;
    os << "\n";
  }
  void finish(int64_t cycles) override {
    os << llvm::format("%10lld", (long long)cycles) << " end\n";
  }

private:
  llvm::raw_ostream &os;
  const Machine &machine;
};

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Threads are numbered from 1: the processor, then the queues.
class JsonTrace : public TraceSink {
public:
  JsonTrace(llvm::raw_ostream &stream, const Machine &machine)
      : stream(stream), os(stream), machine(machine) {}

  void add(const TraceSpan &span) override {
    begin();
    os.object([&] {
      os.attribute("ph", "X");
      os.attribute("name", json::fixUTF8(span.name));
      place(span.lane);
      os.attribute("ts", microseconds(span.begin));
      os.attribute("dur", microseconds(span.end - span.begin));
      os.attributeObject("args", [&] {
        os.attribute("instruction", json::fixUTF8(span.text));
        os.attribute("pc", int64_t(span.pc));
        os.attribute("issued", span.issued);
        os.attribute("begin", span.begin);
        os.attribute("end", span.end);
        if (!span.source.empty())
          os.attribute("source", json::fixUTF8(span.source));
      });
    });
  }

  void finish(int64_t cycles) override {
    begin();
    os.arrayEnd();
    os.attributeEnd();
    os.attribute("displayTimeUnit", "ns");
    os.attributeObject("otherData", [&] {
      os.attribute("machine", machine.name);
      os.attribute("cycles", cycles);
      os.attribute("clock_hz", machine.clockHz);
    });
    os.objectEnd();
    stream << "\n";
  }

private:
  /// A run that is refused leaves nothing.
  void begin() {
    if (hasBegun)
      return;
    hasBegun = true;
    os.objectBegin();
    os.attributeBegin("traceEvents");
    os.arrayBegin();
    nameThread(TraceSpan::kProcessor);
    for (size_t i = 0; i < machine.queues.size(); ++i)
      nameThread(int32_t(i));
  }
  double microseconds(int64_t cycles) const {
    return 1e6 * double(cycles) / double(machine.clockHz);
  }
  void place(int32_t lane) {
    os.attribute("pid", 1);
    os.attribute("tid", lane + 2);
  }
  void nameThread(int32_t lane) {
    os.object([&] {
      os.attribute("ph", "M");
      os.attribute("name", "thread_name");
      place(lane);
      os.attributeObject(
          "args", [&] { os.attribute("name", laneName(machine, lane)); });
    });
  }

  llvm::raw_ostream &stream;
  json::OStream os;
  const Machine &machine;
  bool hasBegun = false;
};
} // namespace

std::unique_ptr<TraceSink> tally::simulator::textTrace(llvm::raw_ostream &os,
                                                       const Machine &machine) {
  return std::make_unique<TextTrace>(os, machine);
}

std::unique_ptr<TraceSink> tally::simulator::jsonTrace(llvm::raw_ostream &os,
                                                       const Machine &machine) {
  return std::make_unique<JsonTrace>(os, machine);
}
