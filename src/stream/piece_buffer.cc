#include "stream/piece_buffer.h"

#include <iterator>
#include <utility>

namespace stream {

void PieceBuffer::append_slowly(std::string_view text) {
  while (!text.empty()) {
    if (left_ <= kStep) {
      end_piece();
      piece_ = std::make_shared_for_overwrite<char[]>(next_size_);
      at_ = piece_.get();
      left_ = next_size_;
      next_size_ = std::min(next_size_ * 4, kLargestPiece);
    }
    // The last bytes of a piece stay free: copying in steps may write on them.
    const std::size_t taken = text.copy(at_, left_ - kStep);
    at_ += taken;
    left_ -= taken;
    text.remove_prefix(taken);
  }
}

void PieceBuffer::end_piece() {
  if (!piece_) return;
  const char* const begin = piece_.get();
  const std::string_view filled(begin, static_cast<std::size_t>(at_ - begin));
  full_.emplace_back(std::shared_ptr<const void>(std::move(piece_)), filled);
  at_ = nullptr;
  left_ = 0;
}

void PieceBuffer::flush(std::vector<core::Bytes>& parts) {
  end_piece();
  std::move(full_.begin(), full_.end(), std::back_inserter(parts));
  full_.clear();
  next_size_ = kFirstPiece;
}

}  // namespace stream
