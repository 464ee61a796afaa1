#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace stream {

/// Text put together from many small ones. It grows in pieces that do not move, of memory that
/// nothing was written to before: an answer of megabytes is neither copied again nor cleared.
class PieceBuffer {
 public:
  /// `readable_after`: so many bytes after `text` may be read too, whatever they are. That allows
  /// copying in steps of a fixed size, several times faster than a call for each hundred bytes.
  void append(std::string_view text, std::size_t readable_after) {
    if (text.size() + kStep > left_) {
      append_slowly(text);
      return;
    }
    if (readable_after >= kStep && text.size() <= kStepsUpTo) {
      for (std::size_t i = 0; i < text.size(); i += kStep) {
        std::memcpy(at_ + i, text.data() + i, kStep);
      }
    } else {
      std::memcpy(at_, text.data(), text.size());
    }
    at_ += text.size();
    left_ -= text.size();
  }

  /// Moves everything to the end of `parts`.
  void flush(std::vector<core::Bytes>& parts);

 private:
  static constexpr std::size_t kStep = 16;
  static constexpr std::size_t kStepsUpTo = 512;
  static constexpr std::size_t kFirstPiece = 4 << 10;
  static constexpr std::size_t kLargestPiece = 256 << 10;

  void append_slowly(std::string_view text);
  void end_piece();

  std::shared_ptr<char[]> piece_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
  std::size_t next_size_ = kFirstPiece;
  std::vector<core::Bytes> full_;
};

}  // namespace stream
