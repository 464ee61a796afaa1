#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/net_thread.h"
#include "adapters/http/parser.h"

namespace adapters {

/// One accepted connection on its network thread, and the exchange of the request it is busy with.
///
///   next_request ──> handler.handle ──> send_answer ──┐
///        └──────────────<── keep-alive ───────────────┘
///
/// System calls are made directly, without blocking; Asio is asked only to wait. So a request that
/// came whole and an answer that fits into the socket's buffer cost one call each and no copy.
class Connection final : public ports::HttpExchange,
                         public std::enable_shared_from_this<Connection>,
                         private Deadlines::Entry {
 public:
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                  boost::asio::io_context::executor_type>;

  Connection(Socket socket, NetThread& thread, const HttpListener& listener, HttpShared& shared);
  ~Connection() override;

  /// Serves until either side ends it.
  static ports::Task<void> run(std::shared_ptr<Connection> self);

  /// Ends it as soon as it is between two requests.
  void end_soon();
  void cut();

  ports::HttpRequest& request() override { return request_; }
  std::size_t thread() const override { return thread_.index; }
  void respond(ports::HttpResponse response) override;
  void begin(ports::HttpResponse head) override;
  ports::Task<bool> write(std::vector<core::Bytes> parts) override;
  void abort() override { broken_ = true; }
  ports::Task<ports::HttpWake> wait(core::Time timeout) override;
  void wake() override;

 private:
  enum class Answer : std::uint8_t { none, whole, streamed };
  enum class Io : std::uint8_t { done, again, gone };

  // Coming in (connection.cc).
  ports::Task<bool> next_request();
  Io receive();
  void parse(std::string_view bytes);
  bool over_budget();
  unsigned read_failure(std::string& reason);
  void set_read_deadline();

  // Going out (connection_write.cc).
  ports::Task<bool> send_answer();
  ports::Task<bool> send_all();
  void refuse(unsigned status, std::string_view reason);
  void compose_head(const ports::HttpResponse& response, bool streamed);
  Io send_some();
  std::string_view piece(std::size_t index) const;
  ports::Task<void> linger();

  void reset_exchange();
  void watch_peer();
  void cancel_waits();
  void on_deadline() override;

  Socket socket_;
  NetThread& thread_;
  const HttpListener& listener_;
  HttpShared& shared_;
  std::list<Connection*>::iterator place_;

  // What comes in.
  std::optional<RequestParser> parser_;
  ports::HttpRequest request_;
  std::string pending_;        // Received, not yet parsed: a part of a head, or what follows.
  std::size_t parsed_ = 0;     // Bytes of pending_ that are done with.
  std::uint64_t charged_ = 0;  // Our share of shared_.buffered.
  Deadlines::Clock::time_point began_{};
  bool continued_ = false;  // 100 Continue was sent.

  // What goes out: head_, parts_, tail_, in that order.
  Answer answer_ = Answer::none;
  ports::HttpResponse response_;
  std::string head_;
  std::vector<core::Bytes> parts_;
  std::string_view tail_;       // Of a chunk; a literal.
  std::size_t piece_ = 0;       // The next one to send: 0 is head_...
  std::size_t piece_sent_ = 0;  // ...and how much of it was.
  std::uint64_t sent_ = 0;      // Of this answer.

  bool idle_ = true;      // Between two requests.
  bool close_ = false;    // After the present answer.
  bool broken_ = false;   // Nothing more can or may be sent.
  bool lingers_ = false;  // The peer may still be sending what nobody wants.
  bool expired_ = false;  // A deadline passed.
  bool to_head_ = false;  // The request's method is HEAD.
  bool http_1_0_ = false;
  bool watching_ = false;  // For the peer's end while a handler waits.
  bool woken_ = false;
  bool waiting_ = false;
  std::optional<boost::asio::steady_timer> wake_timer_;
};

}  // namespace adapters
