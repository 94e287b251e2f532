//===- ProgramFile.cpp - programs as ELF files ----------------------------===//
//
// The layout is fixed: header, four program headers, contents of sections one
// after the other, section headers. LLVM's structures give both directions the
// byte order and the offsets.
//
//===----------------------------------------------------------------------===//

#include "tally/emit/program/ProgramFile.h"
#include "tally/support/ReadFile.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

using namespace tally;
using namespace tally::isa;
using llvm::object::ELF32LE;
using Elf = llvm::object::ELFFile<ELF32LE>;
using Bytes = std::vector<uint8_t>;
namespace elf = llvm::ELF;

/// Where sections lie in the address space of tools; the machine has none.
static constexpr uint32_t kTextAddress = 0;
static constexpr uint32_t kConstantsAddress = 0x40000000;
static constexpr uint32_t kContextAddress = 0x80000000;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

/// Names, each ended by a zero; the first is empty.
class StringTable {
public:
  uint32_t add(std::string_view name) {
    auto at = uint32_t(bytes.size());
    bytes.insert(bytes.end(), name.begin(), name.end());
    bytes.push_back(0);
    return at;
  }
  Bytes bytes = {0};
};

struct Section {
  std::string_view name;
  uint32_t type = elf::SHT_PROGBITS;
  uint32_t flags = 0;
  uint32_t address = 0;
  uint32_t alignment = 1;
  Bytes contents;
  uint32_t link = 0, info = 0, entrySize = 0;
  uint32_t offset = 0; ///< in the file; set when it is laid out
};

/// Sections by number; 0 is ELF's own.
enum SectionNumber : uint16_t {
  TextSection = 1,
  ConstantsSection,
  ContextSection,
  NoteSection,
  SymbolSection,
  NameSection,
  SectionNameSection,
};

} // namespace

template <typename T> static void append(Bytes &bytes, const T &structure) {
  const auto *begin = reinterpret_cast<const uint8_t *>(&structure);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

static Bytes textBytes(const Program &program) {
  Bytes bytes;
  for (uint32_t word : program.text)
    append(bytes, llvm::support::ulittle32_t(word));
  return bytes;
}

static Bytes noteBytes(const Program &program) {
  std::string json = metadataToJson(program);
  Bytes bytes;
  uint32_t ownerBytes = uint32_t(std::strlen(kProgramNoteOwner) + 1);
  for (uint32_t word : {ownerBytes, uint32_t(json.size()), kProgramNote})
    append(bytes, llvm::support::ulittle32_t(word));
  bytes.insert(bytes.end(), kProgramNoteOwner, kProgramNoteOwner + ownerBytes);
  bytes.resize(llvm::alignTo(bytes.size(), 4));
  bytes.insert(bytes.end(), json.begin(), json.end());
  bytes.resize(llvm::alignTo(bytes.size(), 4));
  return bytes;
}

/// Section and address of what tools can show; nothing for other spaces.
static std::optional<std::pair<uint16_t, uint32_t>>
placeOf(const Symbol &symbol) {
  auto offset = uint32_t(symbol.offset);
  switch (symbol.space) {
  case kTextSpace:
    return std::pair(uint16_t(TextSection), kTextAddress + offset);
  case kConstantsRegion:
    return std::pair(uint16_t(ConstantsSection), kConstantsAddress + offset);
  case kContextRegion:
    return std::pair(uint16_t(ContextSection), kContextAddress + offset);
  default:
    return std::nullopt;
  }
}

/// Each range of instructions of a node as a function of its own, so that tools
/// find the node of an address. Local symbols come first.
static void appendNodes(const Program &program, StringTable &names,
                        Bytes &bytes) {
  for (const NodeRange &node : program.nodes) {
    Elf::Elf_Sym entry{};
    entry.st_name = names.add(node.name);
    entry.st_value = kTextAddress + uint32_t(node.first * kInstructionBytes);
    entry.st_size = uint32_t(node.count * kInstructionBytes);
    entry.st_shndx = TextSection;
    entry.setBindingAndType(elf::STB_LOCAL, elf::STT_FUNC);
    append(bytes, entry);
  }
}

static Bytes symbolBytes(const Program &program, StringTable &names) {
  Bytes bytes;
  append(bytes, Elf::Elf_Sym{});
  appendNodes(program, names, bytes);
  for (const Symbol &symbol : program.symbols) {
    auto place = placeOf(symbol);
    if (!place)
      continue;
    Elf::Elf_Sym entry{};
    entry.st_name = names.add(symbol.name);
    entry.st_value = place->second;
    entry.st_size = uint32_t(symbol.bytes);
    entry.st_shndx = place->first;
    entry.setBindingAndType(elf::STB_GLOBAL, symbol.space == kTextSpace
                                                 ? elf::STT_NOTYPE
                                                 : elf::STT_OBJECT);
    append(bytes, entry);
  }
  return bytes;
}

static std::vector<Section> sectionsOf(const Program &program) {
  StringTable names;
  Bytes symbols = symbolBytes(program, names);
  return {
      {.name = "", .type = elf::SHT_NULL, .alignment = 0},
      {.name = ".text",
       .flags = elf::SHF_ALLOC | elf::SHF_EXECINSTR,
       .address = kTextAddress,
       .alignment = 4,
       .contents = textBytes(program)},
      {.name = ".rodata",
       .flags = elf::SHF_ALLOC,
       .address = kConstantsAddress,
       .alignment = 64,
       .contents = program.constants},
      {.name = ".data",
       .flags = elf::SHF_ALLOC | elf::SHF_WRITE,
       .address = kContextAddress,
       .alignment = 64,
       .contents = program.context},
      {.name = ".note.tally",
       .type = elf::SHT_NOTE,
       .alignment = 4,
       .contents = noteBytes(program)},
      {.name = ".symtab",
       .type = elf::SHT_SYMTAB,
       .alignment = 4,
       .contents = std::move(symbols),
       .link = NameSection,
       .info = uint32_t(1 + program.nodes.size()), // the first global one
       .entrySize = sizeof(Elf::Elf_Sym)},
      {.name = ".strtab",
       .type = elf::SHT_STRTAB,
       .contents = std::move(names.bytes)},
      {.name = ".shstrtab", .type = elf::SHT_STRTAB},
  };
}

static Elf::Elf_Phdr segmentOf(const Section &section, uint32_t type,
                               uint32_t flags) {
  Elf::Elf_Phdr segment{};
  segment.p_type = type;
  segment.p_flags = flags;
  segment.p_offset = section.offset;
  segment.p_vaddr = section.address;
  segment.p_paddr = section.address;
  segment.p_filesz = uint32_t(section.contents.size());
  segment.p_memsz = uint32_t(section.contents.size());
  segment.p_align = section.alignment;
  return segment;
}

static Elf::Elf_Shdr headerOf(const Section &section, uint32_t name) {
  Elf::Elf_Shdr header{};
  header.sh_name = name;
  header.sh_type = section.type;
  header.sh_flags = section.flags;
  header.sh_addr = section.address;
  header.sh_offset = section.offset;
  header.sh_size = uint32_t(section.contents.size());
  header.sh_link = section.link;
  header.sh_info = section.info;
  header.sh_addralign = section.alignment;
  header.sh_entsize = section.entrySize;
  return header;
}

static Elf::Elf_Ehdr fileHeader(const Program &program, size_t segments,
                                size_t sections, uint32_t sectionOffset) {
  Elf::Elf_Ehdr header{};
  std::memcpy(header.e_ident, elf::ElfMagic, 4);
  header.e_ident[elf::EI_CLASS] = elf::ELFCLASS32;
  header.e_ident[elf::EI_DATA] = elf::ELFDATA2LSB;
  header.e_ident[elf::EI_VERSION] = elf::EV_CURRENT;
  header.e_type = elf::ET_EXEC;
  header.e_machine = elf::EM_RISCV;
  header.e_version = elf::EV_CURRENT;
  header.e_entry = kTextAddress;
  header.e_phoff = sizeof(Elf::Elf_Ehdr);
  header.e_shoff = sectionOffset;
  header.e_flags =
      program.requirements.scalarRegisters <= 16 ? elf::EF_RISCV_RVE : 0;
  header.e_ehsize = sizeof(Elf::Elf_Ehdr);
  header.e_phentsize = sizeof(Elf::Elf_Phdr);
  header.e_phnum = uint16_t(segments);
  header.e_shentsize = sizeof(Elf::Elf_Shdr);
  header.e_shnum = uint16_t(sections);
  header.e_shstrndx = SectionNameSection;
  return header;
}

Bytes tally::isa::writeProgram(const Program &program) {
  constexpr size_t kSegments = 4;
  std::vector<Section> sections = sectionsOf(program);
  StringTable sectionNames;
  std::vector<uint32_t> nameOffsets;
  nameOffsets.reserve(sections.size());
  for (const Section &section : sections)
    nameOffsets.push_back(
        section.name.empty() ? 0 : sectionNames.add(section.name));
  sections[SectionNameSection].contents = sectionNames.bytes;

  size_t at = sizeof(Elf::Elf_Ehdr) + kSegments * sizeof(Elf::Elf_Phdr);
  for (Section &section : sections) {
    if (section.type == elf::SHT_NULL)
      continue;
    at = llvm::alignTo(at, section.alignment);
    section.offset = uint32_t(at);
    at += section.contents.size();
  }
  at = llvm::alignTo(at, 4);

  Bytes file;
  append(file, fileHeader(program, kSegments, sections.size(), uint32_t(at)));
  append(file,
         segmentOf(sections[TextSection], elf::PT_LOAD, elf::PF_R | elf::PF_X));
  append(file, segmentOf(sections[ConstantsSection], elf::PT_LOAD, elf::PF_R));
  append(file, segmentOf(sections[ContextSection], elf::PT_LOAD,
                         elf::PF_R | elf::PF_W));
  append(file, segmentOf(sections[NoteSection], elf::PT_NOTE, elf::PF_R));
  for (const Section &section : sections) {
    file.resize(std::max(file.size(), size_t(section.offset)));
    file.insert(file.end(), section.contents.begin(), section.contents.end());
  }
  file.resize(at);
  for (size_t i = 0; i < sections.size(); ++i)
    append(file, headerOf(sections[i], nameOffsets[i]));
  return file;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static Diagnostic refuse(const char *rule, std::string message) {
  Diagnostic failure;
  failure.kind = FailureKind::Model;
  failure.rule = rule;
  failure.message = std::move(message);
  return failure;
}

static Diagnostic notElf(const std::string &why) {
  Diagnostic failure = refuse("PROG-1", "no program of a machine: " + why);
  failure.hint = "'tally asm FILE.s' makes one";
  return failure;
}

bool tally::isa::beginsLikeProgram(std::span<const uint8_t> bytes) {
  return bytes.size() >= sizeof(Elf::Elf_Ehdr) &&
         std::memcmp(bytes.data(), elf::ElfMagic, 4) == 0 &&
         bytes[elf::EI_CLASS] == elf::ELFCLASS32 &&
         bytes[elf::EI_DATA] == elf::ELFDATA2LSB &&
         llvm::support::endian::read16le(&bytes[18]) == elf::EM_RISCV;
}

namespace {

/// The contents of the sections that matter, as they are in the file.
struct Contents {
  std::optional<llvm::ArrayRef<uint8_t>> text, constants, context, note;
};

} // namespace

static std::optional<llvm::ArrayRef<uint8_t>> *slotFor(Contents &contents,
                                                       llvm::StringRef name) {
  if (name == ".text")
    return &contents.text;
  if (name == ".rodata")
    return &contents.constants;
  if (name == ".data")
    return &contents.context;
  return name == ".note.tally" ? &contents.note : nullptr;
}

static Result<Contents> contentsOf(const Elf &file) {
  auto sections = file.sections();
  if (!sections)
    return notElf(llvm::toString(sections.takeError()));
  Contents contents;
  for (const Elf::Elf_Shdr &section : *sections) {
    auto name = file.getSectionName(section);
    if (!name)
      return notElf(llvm::toString(name.takeError()));
    auto *slot = slotFor(contents, *name);
    if (!slot)
      continue;
    auto bytes = file.getSectionContents(section);
    if (!bytes)
      return notElf(llvm::toString(bytes.takeError()));
    if (*slot)
      return notElf("section '" + name->str() + "' is there twice");
    *slot = *bytes;
  }
  for (const char *name : {".text", ".rodata", ".data", ".note.tally"})
    if (!*slotFor(contents, name))
      return notElf("there is no section '" + std::string(name) + "'");
  return contents;
}

/// The text of the only note.
static Result<std::string_view> noteText(llvm::ArrayRef<uint8_t> section) {
  constexpr size_t kHead = 12;
  size_t ownerBytes = std::strlen(kProgramNoteOwner) + 1;
  size_t textAt = kHead + llvm::alignTo(ownerBytes, 4);
  auto word = [&](size_t at) {
    return llvm::support::endian::read32le(&section[at]);
  };
  if (section.size() < textAt || word(0) != ownerBytes ||
      word(8) != kProgramNote ||
      std::memcmp(&section[kHead], kProgramNoteOwner, ownerBytes) != 0)
    return refuse("PROG-2", "the file's note is none of a program");
  size_t textBytes = word(4);
  if (section.size() != llvm::alignTo(textAt + textBytes, 4))
    return refuse("PROG-2",
                  "the program's note of " + std::to_string(section.size()) +
                      " bytes states a text of " + std::to_string(textBytes));
  return std::string_view(
      reinterpret_cast<const char *>(section.data()) + textAt, textBytes);
}

static Result<Program> parse(std::span<const uint8_t> bytes) {
  if (!beginsLikeProgram(bytes))
    return notElf("it is no 32-bit little-endian RISC-V ELF file");
  auto file =
      Elf::create({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (!file)
    return notElf(llvm::toString(file.takeError()));
  Result<Contents> contents = contentsOf(*file);
  if (!contents)
    return contents.takeError();
  if (contents->text->size() % kInstructionBytes != 0)
    return notElf("its text of " + std::to_string(contents->text->size()) +
                  " bytes is no whole number of words");
  Result<std::string_view> note = noteText(*contents->note);
  if (!note)
    return note.takeError();
  Program program;
  if (Status status = metadataFromJson(*note, program); !status)
    return status.takeError();
  for (size_t at = 0; at < contents->text->size(); at += kInstructionBytes)
    program.text.push_back(
        llvm::support::endian::read32le(contents->text->data() + at));
  program.constants = contents->constants->vec();
  program.context = contents->context->vec();
  if (Status status = checkProgram(program); !status)
    return status.takeError();
  return program;
}

Result<Program> tally::isa::parseProgram(std::span<const uint8_t> bytes,
                                         const std::string &name) {
  Result<Program> program = parse(bytes);
  if (program)
    return program;
  Diagnostic failure = program.takeError();
  failure.file = name;
  return failure;
}

Result<Program> tally::isa::readProgram(const std::string &path) {
  Result<Bytes> bytes = readFile(path);
  if (!bytes)
    return bytes.takeError();
  return parseProgram(*bytes, path);
}
