#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "adapters/clock/asio_timers.h"
#include "adapters/http/server.h"
#include "drivers/serve/stream_handler.h"
#include "tests/support/fake_stream_service.h"
#include "tests/support/raw_client.h"

namespace support {

/// The HTTP side of a node over the service in memory, on a port of its own.
class HttpNode {
 public:
  explicit HttpNode(drivers::ServeOptions options = {})
      : service(clock_),
        handler(service, logic_.get_executor(), server_->executors(), clock_, metrics, options),
        port(server_->listen("127.0.0.1", 0, handler).value()),
        thread_([this] { logic_.run(); }) {}

  ~HttpNode() {
    // The handler's frames on the network threads refer to it: they end first.
    handler.end_live_reads();
    server_->stop();
    boost::asio::co_spawn(logic_, server_->drain(std::chrono::seconds(5)), boost::asio::use_future)
        .get();
    server_.reset();
    logic_.stop();
    thread_.join();
  }

  /// Runs `work` on the logic thread and waits for it.
  template <class Work>
  auto on_logic(Work work) {
    std::packaged_task<decltype(work())()> task(std::move(work));
    auto done = task.get_future();
    boost::asio::post(logic_, [&task] { task(); });
    return done.get();
  }

  /// One request on a connection of its own; `headers` are whole lines.
  std::string call(const std::string& method, const std::string& target,
                   const std::string& headers = {}, const std::string& body = {}) {
    RawClient client(port);
    client.say(request(method, target, headers + "Connection: close\r\n", body));
    return client.hear_all();
  }

  static std::string request(const std::string& method, const std::string& target,
                             const std::string& headers = {}, const std::string& body = {}) {
    std::string text = method + " " + target + " HTTP/1.1\r\nHost: h\r\n" + headers;
    if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + body;
  }

 private:
  adapters::AsioTimers clock_;
  boost::asio::io_context logic_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      logic_.get_executor()};

 public:
  drivers::HttpMetrics metrics;
  FakeStreamService service;
  std::optional<adapters::HttpServer> server_{std::in_place, 2};
  drivers::StreamHandler handler;
  std::uint16_t port;

 private:
  std::thread thread_;
};

}  // namespace support
