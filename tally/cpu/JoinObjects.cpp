//===- JoinObjects.cpp - several objects become one -----------------------===//
//
// Sections are not merged: those of all objects stand one behind the other, and
// a linker merges them later. So no offset changes, and what has to be written
// anew is only what counts sections and symbols:
//
//     a.o   .text  .rela.text  .symtab  .strtab        (calls k)
//     b.o   .text  .rodata     .symtab  .strtab        (defines k, hidden)
//     out   .text  .rela.text  .text  .rodata  .symtab  .strtab
//
// the name, link and info of a section, the section of a symbol, and the symbol
// of a relocation. Local symbols come first, as ELF wants it.
//
// Cost: each byte is copied once. Refused: a linker's -r, which takes files and
// leaves hidden symbols to be seen by the program that the object goes into.
// Source: System V ABI, chapter 4 (object files), and its supplements.
//
//===----------------------------------------------------------------------===//

#include "tally/cpu/JoinObjects.h"
#include "tally/support/Failed.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/StringTableBuilder.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace tally;
using Elf = object::ELFFile<object::ELF64LE>;
using Section = Elf::Elf_Shdr;
using Symbol = Elf::Elf_Sym;
using Relocation = Elf::Elf_Rela;

static Diagnostic refused(const std::string &what) {
  return failed(FailureKind::Internal, "CPU-2",
                "parts of an object do not join: " + what);
}

namespace {
/// A symbol of the result, and its number once all are known.
struct OutSymbol {
  std::string name;
  Symbol symbol;
  uint32_t number = 0;
  bool isDefined() const { return symbol.st_shndx != ELF::SHN_UNDEF; }
};

struct OutSection {
  std::string name;
  Section header;
  std::string contents; ///< empty for SHT_NOBITS
};

/// One object's numbers in the result.
struct Numbers {
  std::vector<uint32_t> sections;
  std::vector<size_t> symbols; ///< positions in Joiner::symbols
};

class Joiner {
public:
  Status add(StringRef object);
  Result<std::string> finish();

private:
  Error addSections(const Elf &elf, Numbers &numbers);
  Error addSymbols(const Elf &elf, const Section &table, Numbers &numbers);
  Error addObject(StringRef bytes);
  size_t addSymbol(StringRef name, const Symbol &symbol);
  Status hideSymbols();
  uint32_t numberSymbols();
  void renumber(const Numbers &numbers, MutableArrayRef<OutSection> own);
  void addTables();
  std::string written();

  std::vector<OutSection> sections; ///< without the first, which is none
  std::vector<OutSymbol> symbols;
  StringMap<size_t> globals; ///< positions in `symbols`
  std::vector<Numbers> objects;
  std::vector<size_t> ends; ///< of each object's sections in `sections`
  Elf::Elf_Ehdr header{};
  std::string conflict;
};
} // namespace

static StringRef textOf(ArrayRef<uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

template <typename Record> static StringRef textOf(const Record &record) {
  return {reinterpret_cast<const char *>(&record), sizeof record};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Sections that are made anew, or that say something about symbols by number
/// which nobody needs.
static bool isDropped(const Section &section) {
  return section.sh_type == ELF::SHT_NULL ||
         section.sh_type == ELF::SHT_SYMTAB ||
         section.sh_type == ELF::SHT_STRTAB ||
         section.sh_type == ELF::SHT_LLVM_ADDRSIG;
}

Error Joiner::addSections(const Elf &elf, Numbers &numbers) {
  auto list = elf.sections();
  if (!list)
    return list.takeError();
  for (const Section &section : *list) {
    numbers.sections.push_back(0);
    if (isDropped(section))
      continue;
    if (section.sh_type == ELF::SHT_GROUP)
      return createStringError("it has a group of sections");
    auto name = elf.getSectionName(section);
    if (!name)
      return name.takeError();
    // A static arena takes no bytes of the file, whatever its size.
    ArrayRef<uint8_t> bytes;
    if (section.sh_type != ELF::SHT_NOBITS) {
      auto contents = elf.getSectionContents(section);
      if (!contents)
        return contents.takeError();
      bytes = *contents;
    }
    sections.push_back({name->str(), section, textOf(bytes).str()});
    numbers.sections.back() = static_cast<uint32_t>(sections.size());
  }
  return Error::success();
}

/// A global symbol that is there already takes part of the new one: its
/// definition.
size_t Joiner::addSymbol(StringRef name, const Symbol &symbol) {
  if (symbol.getBinding() == ELF::STB_LOCAL) {
    symbols.push_back({name.str(), symbol});
    return symbols.size() - 1;
  }
  auto [known, isNew] = globals.try_emplace(name, symbols.size());
  if (isNew) {
    symbols.push_back({name.str(), symbol});
    return known->second;
  }
  OutSymbol &old = symbols[known->second];
  bool isDefined = symbol.st_shndx != ELF::SHN_UNDEF;
  if (old.isDefined() && isDefined)
    conflict = "'" + name.str() + "' is defined twice";
  if (isDefined)
    old.symbol = symbol;
  return known->second;
}

Error Joiner::addSymbols(const Elf &elf, const Section &table,
                         Numbers &numbers) {
  auto list = elf.symbols(&table);
  auto names = elf.getStringTableForSymtab(table);
  if (!list || !names)
    return joinErrors(list.takeError(), names.takeError());
  numbers.symbols.push_back(0); // none
  for (Symbol symbol : list->drop_front()) {
    auto name = symbol.getName(*names);
    if (!name)
      return name.takeError();
    if (symbol.st_shndx < numbers.sections.size())
      symbol.st_shndx =
          static_cast<uint16_t>(numbers.sections[symbol.st_shndx]);
    else if (symbol.st_shndx < ELF::SHN_LORESERVE)
      return createStringError("a symbol is in no section");
    numbers.symbols.push_back(addSymbol(*name, symbol));
  }
  return Error::success();
}

Error Joiner::addObject(StringRef bytes) {
  auto elf = Elf::create(bytes);
  if (!elf)
    return elf.takeError();
  header = elf->getHeader();
  Numbers numbers;
  if (Error error = addSections(*elf, numbers))
    return error;
  auto list = elf->sections();
  if (!list)
    return list.takeError();
  for (const Section &section : *list)
    if (section.sh_type == ELF::SHT_SYMTAB)
      if (Error error = addSymbols(*elf, section, numbers))
        return error;
  objects.push_back(std::move(numbers));
  ends.push_back(sections.size());
  return Error::success();
}

Status Joiner::add(StringRef object) {
  if (Error error = addObject(object))
    return refused(toString(std::move(error)));
  return conflict.empty() ? Status::success() : refused(conflict);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Status Joiner::hideSymbols() {
  for (OutSymbol &symbol : symbols) {
    if (symbol.symbol.getVisibility() != ELF::STV_HIDDEN)
      continue;
    if (!symbol.isDefined())
      return refused("'" + symbol.name + "' is defined nowhere");
    symbol.symbol.setBinding(ELF::STB_LOCAL);
    symbol.symbol.setVisibility(ELF::STV_DEFAULT);
  }
  return Status::success();
}

/// Local ones first; returns the number of the first that is not.
uint32_t Joiner::numberSymbols() {
  auto isGlobal = [](const OutSymbol &symbol) {
    return symbol.symbol.getBinding() != ELF::STB_LOCAL;
  };
  uint32_t next = 1, firstGlobal = 1;
  for (bool global : {false, true}) {
    for (OutSymbol &symbol : symbols)
      if (isGlobal(symbol) == global)
        symbol.number = next++;
    if (!global)
      firstGlobal = next;
  }
  return firstGlobal;
}

/// An object's own sections refer to sections and symbols by their new numbers.
void Joiner::renumber(const Numbers &numbers, MutableArrayRef<OutSection> own) {
  auto symbolTable = static_cast<uint32_t>(sections.size() + 1);
  for (OutSection &section : own) {
    Section &header = section.header;
    bool isRelocations = header.sh_type == ELF::SHT_RELA;
    header.sh_link =
        isRelocations ? symbolTable : numbers.sections[header.sh_link];
    if (isRelocations || header.sh_flags & ELF::SHF_INFO_LINK)
      header.sh_info = numbers.sections[header.sh_info];
    if (!isRelocations)
      continue;
    auto *entries = reinterpret_cast<Relocation *>(section.contents.data());
    size_t count = section.contents.size() / sizeof(Relocation);
    for (Relocation &entry : MutableArrayRef(entries, count))
      if (uint32_t symbol = entry.getSymbol(false))
        entry.setSymbol(symbols[numbers.symbols[symbol]].number, false);
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static OutSection table(const char *name, uint32_t type, uint64_t entry,
                        uint64_t alignment) {
  OutSection section{name, {}, ""};
  section.header.sh_type = type;
  section.header.sh_entsize = entry;
  section.header.sh_addralign = alignment;
  return section;
}

/// The tables of symbols and of their names.
void Joiner::addTables() {
  uint32_t firstGlobal = numberSymbols();
  size_t begin = 0;
  for (auto [numbers, end] : llvm::zip(objects, ends)) {
    renumber(numbers, MutableArrayRef(sections).slice(begin, end - begin));
    begin = end;
  }
  OutSection list = table(".symtab", ELF::SHT_SYMTAB, sizeof(Symbol), 8);
  list.header.sh_link = static_cast<uint32_t>(sections.size() + 2);
  list.header.sh_info = firstGlobal;
  list.contents.resize((symbols.size() + 1) * sizeof(Symbol));
  StringTableBuilder names(StringTableBuilder::ELF);
  for (const OutSymbol &symbol : symbols) {
    Symbol entry = symbol.symbol;
    entry.st_name = static_cast<uint32_t>(names.add(symbol.name));
    std::memcpy(&list.contents[symbol.number * sizeof entry], &entry,
                sizeof entry);
  }
  names.finalizeInOrder();
  OutSection text = table(".strtab", ELF::SHT_STRTAB, 0, 1);
  raw_string_ostream stream(text.contents);
  names.write(stream);
  sections.push_back(std::move(list));
  sections.push_back(std::move(text));
}

/// The ELF header, the sections, and their headers.
std::string Joiner::written() {
  StringTableBuilder names(StringTableBuilder::ELF);
  sections.push_back(table(".shstrtab", ELF::SHT_STRTAB, 0, 1));
  for (OutSection &section : sections)
    section.header.sh_name = static_cast<uint32_t>(names.add(section.name));
  names.finalizeInOrder();
  raw_string_ostream stream(sections.back().contents);
  names.write(stream);
  std::string out(sizeof header, '\0');
  auto align = [&](uint64_t alignment) {
    out.resize(alignTo(out.size(), std::max<uint64_t>(alignment, 1)));
  };
  for (OutSection &section : sections) {
    align(section.header.sh_addralign);
    section.header.sh_offset = out.size();
    if (section.header.sh_type != ELF::SHT_NOBITS)
      section.header.sh_size = section.contents.size();
    out += section.contents;
  }
  align(alignof(uint64_t));
  header.e_shoff = out.size();
  header.e_shnum = static_cast<uint16_t>(sections.size() + 1);
  header.e_shstrndx = static_cast<uint16_t>(sections.size());
  out += textOf(Section{});
  for (const OutSection &section : sections)
    out += textOf(section.header);
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

Result<std::string> Joiner::finish() {
  if (sections.size() + 4 >= ELF::SHN_LORESERVE)
    return refused("there are too many sections");
  if (Status status = hideSymbols(); !status)
    return status.takeError();
  addTables();
  return written();
}

Result<std::string> tally::cpu::joinObjects(ArrayRef<std::string> objects) {
  Joiner joiner;
  for (const std::string &object : objects)
    if (Status status = joiner.add(object); !status)
      return status.takeError();
  return joiner.finish();
}
