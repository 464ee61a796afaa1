#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace core {

/// What a caller can do about a failure; not where it arose.
enum class Errc {
  unavailable,  // Nothing happened. Try again later.
  unknown,      // It may or may not have happened. Look before trying again.
  not_found,    // The thing named does not exist.
  conflict,     // It exists already, or is not as the caller assumed. Nothing happened.
  fenced,       // Somebody else owns this now. Stop.
  invalid,      // The request makes no sense as it is. Nothing happened.
  corrupt,      // Stored bytes make no sense. Never skip them; tell a human where they are.
  limit,        // A bound of ours was reached. Nothing happened.
  full,         // The disk or the store has no room. Nothing happened; it may pass.
};

struct Error {
  Errc code;
  std::string context;  // One line for a human: the value, the place and the rule.
  bool operator==(const Error&) const = default;
};

/// A value, or the reason there is none.
template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Errc code, std::string context) {
  return tl::unexpected<Error>(Error{code, std::move(context)});
}

const char* name_of(Errc code);

}  // namespace core

#define CLOUDULER_JOIN_(a, b) a##b
#define CLOUDULER_JOIN(a, b) CLOUDULER_JOIN_(a, b)
#define CLOUDULER_TRY_(slot, target, expression, leave)                      \
  auto slot = (expression);                                                  \
  if (!slot) leave ::tl::unexpected<::core::Error>(std::move(slot).error()); \
  target = std::move(*slot)

/// `TRY(auto x, f());` binds the value of a Result or returns its error. A statement, not an
/// expression: the expression form crashes g++ 12 inside coroutines. CO_ is for coroutines.
#define TRY(target, ...) \
  CLOUDULER_TRY_(CLOUDULER_JOIN(try_slot_, __COUNTER__), target, (__VA_ARGS__), return )
#define CO_TRY(target, ...) \
  CLOUDULER_TRY_(CLOUDULER_JOIN(try_slot_, __COUNTER__), target, (__VA_ARGS__), co_return )

#define CLOUDULER_TRY_VOID_(slot, expression, leave) \
  if (auto slot = (expression); !slot)               \
  leave ::tl::unexpected<::core::Error>(std::move(slot).error())

/// The same for a Result<void>.
#define TRY_VOID(...) \
  CLOUDULER_TRY_VOID_(CLOUDULER_JOIN(try_slot_, __COUNTER__), (__VA_ARGS__), return )
#define CO_TRY_VOID(...) \
  CLOUDULER_TRY_VOID_(CLOUDULER_JOIN(try_slot_, __COUNTER__), (__VA_ARGS__), co_return )
