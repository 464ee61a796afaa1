#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "stream/piece_buffer.h"
#include "stream/request.h"

namespace stream {

/// How the values of consecutive records become one text.
enum class Join : std::uint8_t {
  raw,     // One after the other: a byte stream.
  commas,  // With a comma between any two: the inside of a JSON array. Empty ones become null.
};

/// Appends the values of the slice's records [first, end) to `out` and returns how many there were.
/// With Join::commas the caller puts the comma between two slices.
///
/// corrupt: the batch makes no sense. invalid: it is compressed.
core::Result<std::size_t> append_values(const BatchSlice& slice, Join join, std::string& out);

/// Collects the values of many slices as parts to be written one after the other. Large values are
/// not copied: their parts share ownership of the batch they lie in.
class ValueGather {
 public:
  /// Values of at least `share_from` bytes are shared, smaller ones copied together.
  static constexpr std::size_t kShareFrom = 4096;
  explicit ValueGather(Join join, std::size_t share_from = kShareFrom)
      : join_(join), share_from_(share_from) {}

  /// Puts literal text into the output ("[", "]", a chunk head). Does not count as a value.
  void add_text(std::string_view text) {
    copied_.append(text, 0);
    bytes_ += text.size();
  }

  /// The same errors as append_values. What was added before an error stays.
  core::Result<void> add(const BatchSlice& slice);

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t values() const { return values_; }

  /// All parts, in order; the gather is empty again.
  std::vector<core::Bytes> finish();

 private:
  void flush_copied();

  Join join_;
  std::size_t share_from_;
  PieceBuffer copied_;
  std::vector<core::Bytes> parts_;
  std::uint64_t bytes_ = 0;
  std::uint64_t values_ = 0;
};

}  // namespace stream
