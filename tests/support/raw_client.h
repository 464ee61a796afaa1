#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace support {

/// A blocking socket to 127.0.0.1 for saying exactly these bytes. Every wait ends after ten
/// seconds at the latest, as if the peer had closed.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// False if the peer does not take it.
  bool say(std::string_view bytes);

  /// Reads until what was read in all contains `text`; returns what was read since the last call.
  /// Without `text` in it if the peer closed first.
  std::string hear_until(std::string_view text);

  /// Everything until the peer closes.
  std::string hear_all();

  /// Head and body, by the Content-Length.
  std::string hear_response();

  bool closed() const { return closed_; }
  void finish_sending();

 private:
  bool hear_more();

  int socket_ = -1;
  bool closed_ = false;
  std::string heard_;
};

}  // namespace support
