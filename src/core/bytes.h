#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace core {

/// An immutable run of bytes that shares ownership of the memory it lies in.
///
/// Copying copies a pointer. A slice keeps the whole block alive, so cut long-lived slices out of
/// large short-lived blocks with `Bytes(std::string(slice.view()))`.
class Bytes {
 public:
  Bytes() = default;

  /// Takes the string over; no copy.
  explicit Bytes(std::string text) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    view_ = *owner;
    owner_ = std::move(owner);
  }

  /// `view` must stay valid as long as `owner` lives.
  Bytes(std::shared_ptr<const void> owner, std::string_view view)
      : owner_(std::move(owner)), view_(view) {}

  std::string_view view() const { return view_; }
  const char* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }

  /// The part from `position`, at most `length` long; shares ownership.
  Bytes slice(std::size_t position, std::size_t length = std::string_view::npos) const {
    return Bytes(owner_, view_.substr(position, length));
  }

  bool operator==(const Bytes& other) const { return view_ == other.view_; }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view view_;
};

}  // namespace core
