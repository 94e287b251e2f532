//===- CHeader.cpp - a compiled model as C sees it ------------------------===//

#include "tally/driver/link/CHeader.h"
#include "tally/driver/link/CStates.h"
#include "tally/runtime/SavedStates.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace tally;
using runtime::Interface;
using runtime::TensorInterface;

std::string tally::cIdentifier(const std::string &text) {
  std::string result;
  for (char c : text)
    result += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (result.empty() || llvm::isDigit(result[0]))
    result.insert(result.begin(), '_');
  return result;
}

static const char *cType(eval::Element element) {
  using eval::Element;
  switch (element) {
  case Element::Bool:
  case Element::U8:
    return "uint8_t";
  case Element::I8:
    return "int8_t";
  case Element::I16:
    return "int16_t";
  case Element::U16:
  case Element::F16:
  case Element::BF16:
    return "uint16_t"; // floats of 16 bits by their bits
  case Element::I32:
    return "int32_t";
  case Element::U32:
    return "uint32_t";
  case Element::I64:
    return "int64_t";
  case Element::U64:
    return "uint64_t";
  case Element::F32:
    return "float";
  case Element::F64:
    return "double";
  }
  return "";
}

/// Text that cannot end a comment or leave its line.
static std::string inComment(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '\n' || c == '\r' || c == '\\' ? '?' : c;
  for (size_t at; (at = result.find("*/")) != std::string::npos;)
    result[at] = '?';
  for (size_t at; (at = result.find("/*")) != std::string::npos;)
    result[at] = '?';
  return result;
}

namespace {
/// A tensor with names that are distinct within the header.
struct NamedTensor {
  const TensorInterface *tensor;
  std::string identifier; ///< parameter of SYMBOL_call
  std::string macro;      ///< "NET_INPUT_IMAGE"
};

class HeaderWriter {
public:
  HeaderWriter(const Interface &interface, llvm::raw_ostream &os);
  void write();

private:
  std::vector<NamedTensor> named(const std::vector<TensorInterface> &tensors,
                                 const char *role);
  void writeMemory();
  void writeTensors(const std::vector<NamedTensor> &tensors, const char *role);
  void writeTensor(const NamedTensor &named, size_t index);
  void writeRun();
  void writeSelfTest();
  void writeCall();

  const Interface &interface;
  llvm::raw_ostream &os;
  std::string prefix; ///< of macros
  std::set<std::string> taken{"arena", "block", "inputs_", "outputs_"};
  const std::vector<TensorInterface> stateTensors;
  std::vector<NamedTensor> inputs, outputs, states;
};
} // namespace

HeaderWriter::HeaderWriter(const Interface &interface, llvm::raw_ostream &os)
    : interface(interface), os(os),
      prefix(llvm::StringRef(interface.symbol).upper()),
      stateTensors(runtime::stateTensors(interface)) {
  for (const char *function :
       {"_run", "_run_parallel", "_call", "_selftest", "_interface", "_step",
        "_reset", "_reset_state", "_get_state", "_set_state"})
    taken.insert(llvm::StringRef(interface.symbol + function).lower());
  inputs = named(interface.inputs, "INPUT");
  outputs = named(interface.outputs, "OUTPUT");
  states = named(stateTensors, "STATE");
}

/// Words that no parameter may be called.
static bool isReserved(const std::string &word) {
  static const std::set<std::string> words = {
      "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case",
      "catch", "char", "class", "const", "continue", "default", "delete", "do",
      "double", "else", "enum", "explicit", "export", "extern", "false",
      "float", "for", "friend", "goto", "if", "inline", "int", "long",
      "mutable", "namespace", "new", "not", "nullptr", "operator", "or",
      "private", "protected", "public", "register", "restrict", "return",
      "short", "signed", "sizeof", "static", "struct", "switch", "template",
      "this", "throw", "true", "try", "typedef", "typeid", "typename", "union",
      "unsigned", "using", "virtual", "void", "volatile", "while", "xor",
      // Of later standards, or macros of common compilers.
      "char8_t", "char16_t", "char32_t", "co_await", "compl", "concept",
      "linux", "noexcept", "requires", "typeof", "unix", "wchar_t", "bitand",
      "bitor", "and_eq", "not_eq", "or_eq", "xor_eq", "consteval", "constexpr",
      "constinit", "co_return", "co_yield", "const_cast", "decltype",
      "dynamic_cast", "reinterpret_cast", "static_assert", "static_cast",
      "thread_local", "typeof_unqual",
      // Of <stdint.h>, which the parameters' types come from.
      "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
      "uint32_t", "uint64_t"};
  return words.count(word);
}

/// Whether the parameter `name` and all macros made of it are new; then they
/// are taken.
static bool take(const std::string &name, std::set<std::string> &taken) {
  std::vector<std::string> wanted;
  for (const char *suffix :
       {"", "_rank", "_shape", "_elements", "_bytes", "_scale", "_zero_point"})
    wanted.push_back(llvm::StringRef(name + suffix).lower());
  for (const std::string &word : wanted)
    if (taken.count(word))
      return false;
  taken.insert(wanted.begin(), wanted.end());
  return true;
}

std::vector<NamedTensor>
HeaderWriter::named(const std::vector<TensorInterface> &tensors,
                    const char *role) {
  std::vector<NamedTensor> result;
  for (const TensorInterface &tensor : tensors) {
    std::string base = cIdentifier(tensor.name), name = base;
    if (isReserved(base))
      name = base += "_";
    for (int i = 2; !take(name, taken); ++i)
      name = base + "_" + std::to_string(i);
    result.push_back(
        {&tensor, name,
         prefix + "_" + role + "_" + llvm::StringRef(name).upper()});
  }
  return result;
}

void HeaderWriter::writeMemory() {
  os << "/* Bytes of working memory that a run needs, and its alignment. */\n"
     << "#define " << prefix << "_ARENA_BYTES " << interface.arenaBytes << "\n"
     << "#define " << prefix << "_ARENA_ALIGNMENT " << interface.arenaAlignment
     << "\n"
     << "/* Bytes of constants in read-only data. */\n"
     << "#define " << prefix << "_CONST_BYTES " << interface.constBytes << "\n"
     << "/* 1: an arena is built in, and NULL may be passed (not reentrant). "
        "*/\n"
     << "#define " << prefix << "_STATIC_ARENA " << interface.staticArena
     << "\n\n";
}

static std::string floatLiteral(float value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("%.9g", value);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text + "f";
}

static std::string braces(const std::vector<int64_t> &values) {
  std::string text = "{";
  for (int64_t value : values)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "}";
}

void HeaderWriter::writeTensor(const NamedTensor &named, size_t index) {
  const TensorInterface &tensor = *named.tensor;
  os << "/* '" << inComment(tensor.name) << "': " << eval::name(tensor.element);
  if (tensor.quant && tensor.quant->perTensor())
    os << " codes, real = scale * (code - zero point)";
  if (tensor.quant && !tensor.quant->perTensor())
    os << " codes with one scale per index of axis " << tensor.quant->axis;
  os << " */\n"
     << "#define " << named.macro << " " << index << "\n"
     << "#define " << named.macro << "_RANK " << tensor.shape.size() << "\n";
  if (!tensor.shape.empty())
    os << "#define " << named.macro << "_SHAPE " << braces(tensor.shape)
       << "\n";
  os << "#define " << named.macro << "_ELEMENTS "
     << eval::elementCount(tensor.shape) << "\n"
     << "#define " << named.macro << "_BYTES " << tensor.byteCount() << "\n";
  if (tensor.quant && tensor.quant->perTensor())
    os << "#define " << named.macro << "_SCALE "
       << floatLiteral(tensor.quant->scale()) << "\n"
       << "#define " << named.macro << "_ZERO_POINT "
       << tensor.quant->zeroPoint() << "\n";
  os << "\n";
}

void HeaderWriter::writeTensors(const std::vector<NamedTensor> &tensors,
                                const char *role) {
  os << "#define " << prefix << "_" << role << "S " << tensors.size() << "\n\n";
  for (size_t i = 0; i < tensors.size(); ++i)
    writeTensor(tensors[i], i);
}

void HeaderWriter::writeSelfTest() {
  if (interface.selfTestBytes == 0)
    return;
  os << "/* Runs made-up inputs and compares with what the exact evaluator "
        "gave.\n   0: this machine gives the same bits; 1: the workspace is "
        "NULL or not aligned\n   to 64; 2: this processor lacks what the code "
        "needs; 3: they differ. */\n"
     << "#define " << prefix << "_SELFTEST_BYTES " << interface.selfTestBytes
     << "\nint32_t " << interface.symbol << "_selftest(void *workspace);\n\n";
}

static std::string parallelRun(const Interface &interface) {
  if (interface.threads == 1)
    return "";
  const std::string &name = interface.symbol;
  return "/* The same on threads of the caller's: where work can be split,\n"
         "   parallel_for(user, most_parts, task, data) chooses a number of "
         "parts, at\n   least 1 and at most most_parts, calls task(data, part, "
         "parts) once for each\n   part = 0 ... parts - 1, on any threads, at "
         "the same time or not, and returns\n   when all have returned. "
         "Parts beyond most_parts do nothing. NULL: no threads.\n   The "
         "results "
         "have the same bits. */\n"
         "#define " +
         llvm::StringRef(name).upper() + "_THREADS " +
         std::to_string(interface.threads) + "\nint32_t " + name +
         "_run_parallel(\n    const void *const *inputs, void *const *outputs, "
         "void *arena,\n    void (*parallel_for)(void *user, int32_t "
         "most_parts,\n                         void (*task)(void *data, "
         "int32_t part,\n                                      int32_t "
         "parts),\n                         void *data),\n    void *user);\n\n";
}

void HeaderWriter::writeRun() {
  os << "/* One run. Tensors are dense and row-major, in the order of their\n"
        "   indices above. The arena is aligned memory of the caller's, "
        "needed\n"
        "   during the call only; distinct arenas make it reentrant. Returns "
        "0;\n"
        "   1 when a pointer is null or the arena is not aligned; 2 when this\n"
        "   processor lacks what the code needs; 4 when a cache has no room "
        "for\n   another run. Inputs, outputs and arena must not overlap. "
        "*/\n";
  if (!interface.states.empty())
    os << "/* Behind the inputs stand the old values of states, behind the\n"
          "   outputs the memory for the new ones: what "
       << interface.symbol << "_step does. */\n";
  os << "int32_t " << interface.symbol
     << "_run(const void *const *inputs, void *const *outputs, void *arena);\n"
     << "\n"
     << parallelRun(interface) << "/* This description as JSON text. */\n"
     << "extern const char " << interface.symbol << "_interface[];\n\n";
}

void HeaderWriter::writeCall() {
  os << "/* The same with one typed pointer per tensor. */\n"
     << "static inline int32_t " << interface.symbol << "_call(";
  for (const NamedTensor &input : inputs)
    os << "const " << cType(input.tensor->element) << " *" << input.identifier
       << ", ";
  for (const NamedTensor &output : outputs)
    os << cType(output.tensor->element) << " *" << output.identifier << ", ";
  bool hasStates = !states.empty();
  os << (hasStates ? "void *block, " : "") << "void *arena) {\n";
  for (auto [list, type, name] :
       {std::tuple(&inputs, "const void *", "inputs_"),
        std::tuple(&outputs, "void *", "outputs_")}) {
    // C has no empty arrays.
    os << "  " << type << name << "[" << std::max<size_t>(list->size(), 1)
       << "];\n";
  }
  if (inputs.empty())
    os << "  inputs_[0] = 0;\n";
  if (outputs.empty())
    os << "  outputs_[0] = 0;\n";
  for (size_t i = 0; i < inputs.size(); ++i)
    os << "  inputs_[" << i << "] = " << inputs[i].identifier << ";\n";
  for (size_t i = 0; i < outputs.size(); ++i)
    os << "  outputs_[" << i << "] = " << outputs[i].identifier << ";\n";
  os << "  return " << interface.symbol
     << (hasStates ? "_step(inputs_, outputs_, block, arena);\n}\n\n"
                   : "_run(inputs_, outputs_, arena);\n}\n\n");
}

void HeaderWriter::write() {
  std::string guard = prefix + "_TALLY_H";
  os << "/* Made by " << inComment(interface.producer) << " from "
     << inComment(interface.model)
     << " (numerics: " << inComment(interface.numerics) << "). */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include <stdint.h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  writeMemory();
  writeTensors(inputs, "INPUT");
  writeTensors(outputs, "OUTPUT");
  if (!states.empty())
    writeTensors(states, "STATE");
  writeRun();
  writeSelfTest();
  if (!states.empty())
    os << cStates(interface);
  writeCall();
  os << "#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
}

std::string tally::cHeader(const Interface &interface) {
  std::string text;
  llvm::raw_string_ostream os(text);
  HeaderWriter(interface, os).write();
  return text;
}
