//===- InspectCommand.cpp - tally inspect ---------------------------------===//

#include "tally/driver/Commands.h"
#include "tally/driver/ModelFacts.h"
#include "tally/driver/Reports.h"
#include "tally/driver/SimulateProgram.h"
#include "tally/driver/fallback/SegmentText.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace tally;

static void writeArtifact(llvm::raw_ostream &stream,
                          const runtime::Artifact &artifact) {
  llvm::json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("kind", runtime::formName(artifact.form));
    os.attribute("path", llvm::json::fixUTF8(artifact.path));
    os.attribute("bytes", static_cast<int64_t>(artifact.file.size()));
    os.attributeBegin("interface");
    os.rawValue(runtime::toJson(artifact.interface));
    os.attributeEnd();
  });
  stream << "\n";
}

static Result<int> inspectArtifact(const std::string &path, bool asJson) {
  auto artifact = runtime::readArtifact(path);
  if (!artifact)
    return artifact.takeError();
  if (asJson)
    writeArtifact(llvm::outs(), *artifact);
  else
    printArtifact(llvm::outs(), *artifact);
  return 0;
}

static void writeSegmentFile(llvm::raw_ostream &stream, const std::string &path,
                             const runtime::SegmentFile &file) {
  llvm::json::OStream os(stream, 2);
  os.object([&] {
    os.attribute("version", 1);
    os.attribute("kind", "segments");
    os.attribute("path", llvm::json::fixUTF8(path));
    os.attribute("producer", llvm::json::fixUTF8(file.producer));
    os.attribute("model", llvm::json::fixUTF8(file.model));
    writeSegmentList(os, file);
  });
  stream << "\n";
}

static Result<int> inspectSegments(const std::string &path, bool asJson) {
  auto file = runtime::readSegments(path);
  if (!file)
    return file.takeError();
  if (asJson) {
    writeSegmentFile(llvm::outs(), path, *file);
    return 0;
  }
  llvm::outs() << path << ": model in segments, made by " << file->producer
               << " from " << file->model << "\n";
  printSegments(llvm::outs(), *file);
  return 0;
}

static Result<int> inspect(const Arguments &arguments) {
  auto model = parseModelArguments(arguments);
  if (!model)
    return model.takeError();
  bool asJson = arguments.has(option::json);
  if (looksLikeProgram(model->path))
    return usageError("CLI-3",
                      "'" + model->path + "' is a program for an accelerator",
                      "write tally disasm " + model->path);
  if (llvm::StringRef(model->path).ends_with(".mlir"))
    return usageError("CLI-3", "'" + model->path + "' is a module, no model",
                      "write tally explain " + model->path +
                          ", or name the .onnx file that it was made of");
  if (runtime::looksLikeArtifact(model->path)) {
    for (auto [id, name] :
         {std::pair(option::dim, "--dim"), std::pair(option::shape, "--shape"),
          std::pair(option::inputs, "--inputs"),
          std::pair(option::outputs, "--outputs"),
          std::pair(option::state, "--state"),
          std::pair(option::keep_output, "--keep-output")})
      if (arguments.has(id))
        return usageError("RUN-10",
                          "'" + model->path + "' is compiled: " + name +
                              " comes too late",
                          "leave it out, or name the model");
    return runtime::looksLikeSegments(model->path)
               ? inspectSegments(model->path, asJson)
               : inspectArtifact(model->path, asJson);
  }
  auto report = examineModel(*model);
  if (!report)
    return report.takeError();
  if (asJson)
    writeModel(llvm::outs(), *report);
  else
    printModel(llvm::outs(), *report);
  return 0;
}

const CommandSpec tally::kInspectCommand = {
    "inspect",
    option::InInspect,
    " MODEL.onnx|ARTIFACT [OPTIONS]",
    "Tell what a model or a compiled library is, without running it",
    R"(
Of a model: inputs, dimensions still open with the option that binds each,
operators, how it is quantized, what is not supported, which nodes stay float
and why, memory. Of an artifact: what its ELF note says; it is never loaded.

EXAMPLES:
  tally inspect net.onnx
  tally inspect net.onnx --dim N=8
  tally inspect net.so --json
)",
    1,
    inspect};
