//===- Result.h - values or explained failures ------------------*- C++ -*-===//
//
// Every library of ours reports failure by value. A failure is a Diagnostic:
// one paragraph that says what kind of failure it is, where it happened, which
// numbered rule was broken, what was found, and what to try.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SUPPORT_RESULT_H
#define TALLY_SUPPORT_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tally {

/// Whose turn it is to act. The command's exit status follows from it.
enum class FailureKind {
  Usage,       ///< the command line or API call is wrong           (exit 2)
  Model,       ///< the user's model or tensor file is wrong        (exit 3)
  Unsupported, ///< valid, but not supported (yet)                  (exit 4)
  Machine,     ///< a machine file is wrong                         (exit 5)
  System,      ///< the operating system refused: file, memory      (exit 6)
  Internal,    ///< our bug                                         (exit 70)
};

/// One explained failure. Messages are lower case and without a final stop.
struct Diagnostic {
  FailureKind kind = FailureKind::Internal;
  std::string message; ///< expected and found, with units
  std::string rule;    ///< stable label such as "ONNX-EXT-2"; may be empty
  std::string file;    ///< file the failure is about; may be empty
  std::string node;    ///< the model's own node or tensor name; may be empty
  std::string hint;    ///< what to try; may be empty

  /// "FILE: node 'NAME': message [RULE]; HINT", leaving out what is empty.
  std::string str() const;
};

/// Either a value or a Diagnostic. Move-only use is fine; never empty.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : storage(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic failure)
      : storage(std::in_place_index<1>, std::move(failure)) {}

  explicit operator bool() const { return storage.index() == 0; }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(value()); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

  T &value() {
    assert(*this && "value() of a failed Result");
    return std::get<0>(storage);
  }
  const T &value() const {
    assert(*this && "value() of a failed Result");
    return std::get<0>(storage);
  }
  const Diagnostic &error() const {
    assert(!*this && "error() of a successful Result");
    return std::get<1>(storage);
  }
  Diagnostic takeError() {
    assert(!*this && "takeError() of a successful Result");
    return std::move(std::get<1>(storage));
  }

private:
  std::variant<T, Diagnostic> storage;
};

/// Success, or a Diagnostic.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Diagnostic failure) : failure(std::move(failure)) {}
  static Status success() { return {}; }

  explicit operator bool() const { return !failure.has_value(); }
  const Diagnostic &error() const {
    assert(failure && "error() of a successful Status");
    return *failure;
  }
  Diagnostic takeError() {
    assert(failure && "takeError() of a successful Status");
    return std::move(*failure);
  }

private:
  std::optional<Diagnostic> failure;
};

} // namespace tally

#endif // TALLY_SUPPORT_RESULT_H
