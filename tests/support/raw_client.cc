#include "tests/support/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace support {

RawClient::RawClient(std::uint16_t port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  const timeval ten_seconds{10, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &ten_seconds, sizeof ten_seconds);
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &ten_seconds, sizeof ten_seconds);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  closed_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0;
}

RawClient::~RawClient() {
  ::close(socket_);
}

bool RawClient::say(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool RawClient::hear_more() {
  char bytes[64 * 1024];
  const ssize_t n = ::recv(socket_, bytes, sizeof bytes, 0);
  if (n <= 0) {
    closed_ = true;
    return false;
  }
  heard_.append(bytes, static_cast<std::size_t>(n));
  return true;
}

std::string RawClient::hear_until(std::string_view text) {
  std::size_t at = 0;
  while ((at = heard_.find(text)) == std::string::npos) {
    if (!hear_more()) return std::exchange(heard_, {});
  }
  std::string result = heard_.substr(0, at + text.size());
  heard_.erase(0, result.size());
  return result;
}

std::string RawClient::hear_all() {
  while (hear_more()) {
  }
  return std::exchange(heard_, {});
}

std::string RawClient::hear_response() {
  std::string head = hear_until("\r\n\r\n");
  const std::size_t at = head.find("Content-Length: ");
  if (at == std::string::npos) return head;
  const std::size_t length = std::strtoul(head.c_str() + at + 16, nullptr, 10);
  while (heard_.size() < length && hear_more()) {
  }
  head += heard_.substr(0, length);
  heard_.erase(0, length);
  return head;
}

void RawClient::finish_sending() {
  ::shutdown(socket_, SHUT_WR);
}

}  // namespace support
