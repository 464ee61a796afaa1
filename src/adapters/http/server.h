#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "ports/http.h"
#include "ports/task.h"

namespace adapters {

/// What one listener allows its clients. Each bound closes a way to hold this server's memory or
/// connections for nothing.
struct HttpLimits {
  std::uint32_t max_head = 16 * 1024;
  std::uint64_t max_body = 10 * 1024 * 1024;
  std::uint64_t max_buffered = 512 * 1024 * 1024;       // Bodies of all connections together: 503.
  std::size_t max_connections = 60'000;                 // More are answered 503 and closed.
  core::Time idle_timeout = std::chrono::seconds(75);   // Between requests.
  core::Time head_timeout = std::chrono::seconds(10);   // From a head's first byte to its last.
  core::Time body_timeout = std::chrono::seconds(20);   // Plus what min_rate grants.
  core::Time write_timeout = std::chrono::seconds(20);  // Plus what min_rate grants.
  std::uint64_t min_rate = 16 * 1024;                   // Bytes a second that buy more time.
};

/// HTTP/1.1: keep-alive, pipelining in order, chunked bodies both ways. A connection belongs to one
/// network thread for good; a handler runs on it.
///
/// Destroy it when no handler waits for another thread any more (after drain() said so), and after
/// that thread's io_context has stopped otherwise.
class HttpServer {
 public:
  /// On network threads of its own, at least one.
  explicit HttpServer(std::size_t threads);

  /// On the one thread that runs `loop`, which outlives the server and is not running when the
  /// server is destroyed.
  explicit HttpServer(ports::asio::io_context& loop);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// One for each network thread; the index is HttpExchange::thread().
  std::vector<ports::asio::any_io_executor> executors() const;

  /// Listens on an address and port (0: any free one) and returns the port. `handler` must outlive
  /// the server. unavailable: the address cannot be had; the context says why.
  core::Result<std::uint16_t> listen(const std::string& host, std::uint16_t port,
                                     ports::HttpHandler& handler, HttpLimits limits = {});

  std::size_t connections() const;

  /// Takes no more connections, closes the idle ones, and the others after their answer.
  void stop();

  /// Returns when all connections are closed after stop(), true, or when `timeout` is over, false;
  /// then the rest are cut. Called on any one executor.
  ports::Task<bool> drain(core::Time timeout);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adapters
