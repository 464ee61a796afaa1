#pragma once

#include <cstddef>
#include <vector>

#include "core/bytes.h"
#include "core/http_message.h"
#include "core/time.h"
#include "ports/task.h"

namespace ports {

using core::HttpRequest;
using core::HttpResponse;

enum class HttpWake {
  woken,  // wake() was called.
  timeout,
  peer_gone,  // Nobody is there to answer any more: return from the handler.
};

/// One request and the answer to it. Belongs to one network thread; all calls come from there.
class HttpExchange {
 public:
  HttpExchange() = default;
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;
  virtual ~HttpExchange() = default;

  /// The handler may move parts of it out, the body above all.
  virtual HttpRequest& request() = 0;

  /// Which network thread this is: 0, 1, 2 ... as in HttpHandler's notes.
  virtual std::size_t thread() const = 0;

  /// The whole answer; sent when the handler returns. The last call counts.
  virtual void respond(HttpResponse response) = 0;

  /// Begins an answer of unknown length; the head goes out with the first write(). The body of
  /// `head` must be empty. It is complete when the handler returns.
  virtual void begin(HttpResponse head) = 0;

  /// Sends a piece of the body in one go and returns once the system has taken it. False: the peer
  /// is gone, or took nothing for too long; nothing more can be written.
  virtual Task<bool> write(std::vector<core::Bytes> parts) = 0;

  /// Cuts the connection when the handler returns, so that the peer sees that something is missing.
  virtual void abort() = 0;

  /// Waits for wake(), the end of `timeout`, or the loss of the peer. A wake() that came since the
  /// last wait counts.
  virtual Task<HttpWake> wait(core::Time timeout) = 0;

  /// Ends the present or the next wait().
  virtual void wake() = 0;
};

/// Answers requests. `handle` runs on the connection's network thread, one request of a connection
/// at a time; the exchange outlives the returned coroutine.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual Task<void> handle(HttpExchange& exchange) = 0;
};

}  // namespace ports
