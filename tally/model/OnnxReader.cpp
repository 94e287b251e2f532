//===- OnnxReader.cpp - ONNX bytes to neutral structs ---------------------===//
//
// Steps: open the file; walk its wire format (WireScan), which finds damage and
// proves that parsing stays small; parse it with protobuf; check the
// model's own fields; read the graph (OnnxGraph).
//
// The file is read in blocks, never mapped: it may shrink meanwhile. Weights
// in it are copied once, from the block buffer into the string that protobuf
// keeps and the result takes over.
//
//===----------------------------------------------------------------------===//

#include "tally/model/OnnxReader.h"

#include "tally/model/OnnxGraph.h"
#include "tally/model/OnnxRules.h"
#include "tally/model/WireScan.h"
#include "tally/support/FileDescriptor.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>

namespace tally::model {

namespace {

namespace io = google::protobuf::io;

/// Bytes that can be read twice from the start.
struct Source {
  uint64_t size;
  std::function<std::unique_ptr<io::ZeroCopyInputStream>()> open;
};

} // namespace

static Status parse(const Source &source, onnx::ModelProto &proto) {
  if (source.size > INT32_MAX)
    return breaks(OnnxRule::FileTooLarge,
                  "the file has " + std::to_string(source.size) + " bytes");
  {
    auto stream = source.open();
    io::CodedInputStream coded(stream.get());
    if (Status status = scanModelWire(coded, source.size); !status)
      return status;
  }
  auto stream = source.open();
  io::CodedInputStream coded(stream.get());
  coded.SetRecursionLimit(maxMessageDepth + 8);
  coded.PushLimit(static_cast<int>(source.size));
  if (!proto.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
    return breaks(OnnxRule::FileDamaged,
                  "not a well-formed ONNX file: it holds a malformed list of "
                  "numbers, or it changed while it was read");
  return Status::success();
}

static Status checkHeader(const onnx::ModelProto &proto) {
  if (!proto.has_ir_version() || !proto.has_graph())
    return breaks(OnnxRule::ModelEmpty, proto.has_graph()
                                            ? "the model has no IR version"
                                            : "the model has no graph");
  constexpr int64_t oldest = 3, newest = 14;
  if (proto.ir_version() < oldest || proto.ir_version() > newest)
    return breaks(OnnxRule::ModelVersion,
                  "IR version " + std::to_string(proto.ir_version()) +
                      " is not among the versions " + std::to_string(oldest) +
                      " to " + std::to_string(newest) + " that are supported");
  return Status::success();
}

static Result<Model> convert(onnx::ModelProto &proto, uint64_t size,
                             ExternalFiles &files) {
  if (Status status = checkHeader(proto); !status)
    return status.takeError();
  Model model;
  model.irVersion = proto.ir_version();
  model.producerName = readText(proto.producer_name());
  model.producerVersion = readText(proto.producer_version());
  model.domain = readText(proto.domain());
  model.modelVersion = proto.model_version();
  model.doc = readText(proto.doc_string());
  for (const auto &entry : proto.metadata_props())
    model.metadata.emplace(readText(entry.key()), readText(entry.value()));
  Result<Opsets> opsets = readOpsets(proto.opset_import(), "");
  if (!opsets)
    return opsets.takeError();
  model.opsets = std::move(*opsets);
  TensorReader tensors(files);
  uint64_t inlineLimit = 16 * size + (64u << 20);
  GraphReader reader(proto, model.opsets, tensors, inlineLimit);
  Result<Graph> graph = reader.readMain();
  if (!graph)
    return graph.takeError();
  model.graph = std::move(*graph);
  return model;
}

static Result<Model> readModel(const Source &source,
                               const std::filesystem::path &folder,
                               const ReadOptions &options,
                               const std::string &label) {
  auto inFile = [&](Diagnostic failure) {
    if (failure.file.empty())
      failure.file = label;
    return failure;
  };
  onnx::ModelProto proto;
  if (Status status = parse(source, proto); !status)
    return inFile(status.takeError());
  ExternalFiles files(folder, options.externalData);
  Result<Model> model = convert(proto, source.size, files);
  if (!model)
    return inFile(model.takeError());
  return model;
}

static Diagnostic fileFailure(OnnxRule rule, std::string message,
                              const std::string &label) {
  Diagnostic failure = breaks(rule, std::move(message));
  failure.file = label;
  return failure;
}

Result<Model> readOnnxFile(const std::filesystem::path &path,
                           const ReadOptions &options) {
  std::string label = printable(path.string(), 400);
  auto unreadable = [&](int error) {
    return fileFailure(
        OnnxRule::FileUnreadable,
        std::string("cannot open the model: ") +
            std::strerror(error), // NOLINT(concurrency-mt-unsafe)
        label);
  };
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file)
    return unreadable(errno);
  struct stat facts;
  if (::fstat(file.get(), &facts) != 0)
    return unreadable(errno);
  if (!S_ISREG(facts.st_mode))
    return fileFailure(OnnxRule::FileIrregular,
                       "the model is not a regular file", label);
  Source source;
  source.size = static_cast<uint64_t>(facts.st_size);
  source.open = [descriptor = file.get()] {
    ::lseek(descriptor, 0, SEEK_SET);
    return std::make_unique<io::FileInputStream>(descriptor, 1 << 16);
  };
  std::filesystem::path folder = path.parent_path();
  return readModel(source, folder.empty() ? "." : folder, options, label);
}

Result<Model> readOnnxBytes(std::span<const std::byte> bytes,
                            const std::filesystem::path &baseDir,
                            const ReadOptions &options,
                            const std::string &label) {
  Source source;
  source.size = bytes.size();
  source.open = [bytes] {
    return std::make_unique<io::ArrayInputStream>(
        bytes.data(), static_cast<int>(bytes.size()));
  };
  return readModel(source, baseDir, options, label);
}

} // namespace tally::model
