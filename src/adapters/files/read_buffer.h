#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "core/bytes.h"

namespace adapters {

/// Memory for large reads that is handed out as Bytes. Memory that nobody holds any more is used
/// again: page faults on fresh memory cost more than the reading. Handed-out Bytes may be dropped
/// on any thread, also after the buffer.
class ReadBuffer {
 public:
  ReadBuffer();

  /// Room for `size` bytes, content undefined. What was handed out before stays as it is.
  char* make(std::size_t size);

  /// The first `length` bytes of what `make` gave last.
  core::Bytes share(std::size_t length) const {
    return core::Bytes(memory_, std::string_view(memory_.get(), length));
  }

 private:
  struct Free;

  std::shared_ptr<Free> free_;
  std::shared_ptr<char> memory_;
};

}  // namespace adapters
