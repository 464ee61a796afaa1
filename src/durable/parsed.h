#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace durable {

/// Why a request is refused before anybody looks at a stream: an HTTP status and a line of text.
struct Refusal {
  unsigned status = 400;
  std::string text;
  bool operator==(const Refusal&) const = default;
};

template <class T>
using Parsed = tl::expected<T, Refusal>;

inline tl::unexpected<Refusal> refuse(unsigned status, std::string text) {
  return tl::unexpected<Refusal>(Refusal{status, std::move(text)});
}

}  // namespace durable
