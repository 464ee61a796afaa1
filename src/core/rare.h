#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace core {

/// An optional for values that most owners lack: one pointer when empty, where std::optional would
/// take the room of the value. Copies deeply, compares by value, converts from and to
/// std::optional.
template <class T>
class Rare {
 public:
  Rare() = default;
  Rare(std::nullopt_t) {}  // NOLINT(google-explicit-constructor): as std::optional
  Rare(T value) : held_(std::make_unique<T>(std::move(value))) {}  // NOLINT: likewise
  Rare(const std::optional<T>& other)                              // NOLINT: likewise
      : held_(other ? std::make_unique<T>(*other) : nullptr) {}
  Rare(const Rare& other) : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
  Rare(Rare&& other) noexcept = default;
  ~Rare() = default;

  Rare& operator=(const Rare& other) {
    if (this != &other) held_ = other.held_ ? std::make_unique<T>(*other.held_) : nullptr;
    return *this;
  }
  Rare& operator=(Rare&& other) noexcept = default;

  bool has_value() const { return held_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const T& operator*() const { return *held_; }
  T& operator*() { return *held_; }
  const T* operator->() const { return held_.get(); }
  T* operator->() { return held_.get(); }
  void reset() { held_.reset(); }

  operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return held_ ? std::optional<T>(*held_) : std::nullopt;
  }

  bool operator==(const Rare& other) const {
    return held_ && other.held_ ? *held_ == *other.held_ : held_ == other.held_;
  }
  bool operator==(std::nullopt_t) const { return !has_value(); }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace core
