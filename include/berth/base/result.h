/// How failures from outside travel: a value or an Error, never an exception.
///
/// Expected outcomes (a node does not fit) are values of their own; broken invariants are asserts.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace berth {

/// What a caller can do about it.
enum class ErrorCode {
  kInvalidArgument,  ///< the input is wrong: say so to whoever sent it
  kNotFound,         ///< what was named does not exist
  kTooLarge,         ///< a limit was exceeded
  kUnavailable,      ///< try again later
  kInternal,         ///< a bug or a broken environment
};

/// `message` names the field and the value, and is fit to be shown to a person.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
};

/// A T, or why there is none. The member names are those of C++23's std::expected.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Error{...};`.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  /// REQUIRES: has_value().
  [[nodiscard]] const T& operator*() const& {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T& operator*() & {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& operator*() && {
    assert(has_value());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] const T* operator->() const { return &**this; }
  [[nodiscard]] T* operator->() { return &**this; }

  /// REQUIRES: !has_value().
  [[nodiscard]] const Error& error() const {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
using Status = Result<std::monostate>;
inline Status ok() { return std::monostate{}; }

}  // namespace berth
