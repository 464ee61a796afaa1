#include "adapters/http/server.h"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cctype>
#include <thread>

#include "adapters/http/connection.h"
#include "adapters/http/net_thread.h"
#include "core/check.h"

namespace adapters {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Acceptor = asio::basic_socket_acceptor<tcp, asio::io_context::executor_type>;
constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);

/// Out of file descriptors: wait for connections to end instead of spinning.
constexpr auto kAcceptPause = std::chrono::milliseconds(50);

constexpr std::string_view kTooMany =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 21\r\n"
    "Retry-After: 1\r\nCache-Control: no-store\r\nConnection: close\r\n\r\ntoo many connections\n";

/// An event loop with a thread of its own.
struct Loop {
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::thread thread{[this] { io.run(); }};
};

struct Listening {
  Listening(asio::io_context& io, HttpListener what) : acceptor(io), listener(what) {}
  Acceptor acceptor;
  HttpListener listener;
};

}  // namespace

void HttpShared::tell_drained() {
  const std::scoped_lock lock(mutex);
  if (!drained) return;
  asio::post(drained->get_executor(), [timer = drained] { timer->cancel(); });
}

const std::string& NetThread::date() {
  const std::time_t now = std::time(nullptr);
  if (now != date_made_) {
    date_made_ = now;
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[64];
    const std::size_t n = std::strftime(text, sizeof text, "Date: %a, %d %b %Y %T GMT\r\n", &parts);
    date_.assign(text, n);
  }
  return date_;
}

struct HttpServer::State {
  HttpShared shared;
  std::vector<std::unique_ptr<Loop>> loops;  // None if somebody else runs the only one.
  std::vector<std::unique_ptr<NetThread>> threads;
  std::vector<std::unique_ptr<Listening>> listening;  // Closed on threads[0], freed at the end.
  std::size_t turn = 0;                               // Of threads, for the next connection.

  ports::Task<void> accept_loop(Listening& from) {
    asio::steady_timer pause(threads[0]->io);
    while (from.acceptor.is_open()) {
      NetThread& thread = *threads[turn++ % threads.size()];
      auto [error, socket] = co_await from.acceptor.async_accept(thread.io.get_executor(), kAwait);
      if (!from.acceptor.is_open()) co_return;
      if (error) {
        pause.expires_after(kAcceptPause);
        co_await pause.async_wait(kAwait);
        continue;
      }
      admit(from.listener, thread, std::move(socket));
    }
  }

  void admit(const HttpListener& listener, NetThread& thread, Connection::Socket socket) {
    boost::system::error_code ignored;
    if (shared.connections >= listener.limits.max_connections) {
      socket.non_blocking(true, ignored);
      socket.write_some(asio::buffer(kTooMany), ignored);
      return;
    }
    ++shared.connections;
    socket.set_option(tcp::no_delay(true), ignored);
    asio::post(thread.io, [this, &listener, &thread, socket = std::move(socket)]() mutable {
      auto connection = std::make_shared<Connection>(std::move(socket), thread, listener, shared);
      asio::co_spawn(thread.io, Connection::run(std::move(connection)), asio::detached);
    });
  }
};

HttpServer::HttpServer(std::size_t threads) : state_(std::make_unique<State>()) {
  CHECK(threads > 0);
  for (std::size_t i = 0; i < threads; ++i) {
    state_->loops.push_back(std::make_unique<Loop>());
    state_->threads.push_back(std::make_unique<NetThread>(i, state_->loops.back()->io));
  }
}

HttpServer::HttpServer(asio::io_context& loop) : state_(std::make_unique<State>()) {
  state_->threads.push_back(std::make_unique<NetThread>(0, loop));
}

HttpServer::~HttpServer() {
  for (auto& loop : state_->loops) loop->io.stop();
  for (auto& loop : state_->loops) loop->thread.join();
  for (auto& thread : state_->threads) {
    for (Connection* connection : thread->connections) connection->cut();
    thread->io.restart();
    thread->io.poll();  // Lets what waits for sockets and timers end.
  }
}

std::vector<asio::any_io_executor> HttpServer::executors() const {
  std::vector<asio::any_io_executor> all;
  for (const auto& thread : state_->threads) all.emplace_back(thread->io.get_executor());
  return all;
}

std::size_t HttpServer::connections() const {
  return state_->shared.connections;
}

core::Result<std::uint16_t> HttpServer::listen(const std::string& host, std::uint16_t port,
                                               ports::HttpHandler& handler, HttpLimits limits) {
  const auto refused = [&](const boost::system::error_code& error) {
    return core::fail(core::Errc::unavailable,
                      fmt::format("cannot listen on {}:{}: {}", host, port, error.message()));
  };
  asio::io_context& io = state_->threads[0]->io;
  boost::system::error_code error;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (error) return refused(error);
  const tcp::endpoint endpoint = *found.begin();

  auto listening = std::make_unique<Listening>(io, HttpListener{handler, limits});
  Acceptor& acceptor = listening->acceptor;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(Acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(4096, error);
  if (error) return refused(error);
  const std::uint16_t bound = acceptor.local_endpoint().port();
  asio::post(io, [state = state_.get(), raw = listening.release()] {
    state->listening.emplace_back(raw);
    asio::co_spawn(state->threads[0]->io, state->accept_loop(*raw), asio::detached);
  });
  return bound;
}

void HttpServer::stop() {
  asio::post(state_->threads[0]->io, [state = state_.get()] {
    boost::system::error_code ignored;
    for (auto& listening : state->listening) listening->acceptor.close(ignored);
    // Connections that were admitted before this are posted to their threads before what follows.
    for (auto& thread : state->threads) {
      asio::post(thread->io, [&thread = *thread] {
        thread.stopping = true;
        for (Connection* connection : thread.connections) connection->end_soon();
      });
    }
  });
}

ports::Task<bool> HttpServer::drain(core::Time timeout) {
  HttpShared& shared = state_->shared;
  auto timer = std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor, timeout);
  {
    const std::scoped_lock lock(shared.mutex);
    shared.drained = timer;
  }
  if (shared.connections != 0) co_await timer->async_wait(kAwait);
  {
    const std::scoped_lock lock(shared.mutex);
    shared.drained.reset();
  }
  if (shared.connections == 0) co_return true;
  for (auto& thread : state_->threads) {
    asio::post(thread->io, [&thread = *thread] {
      for (Connection* connection : thread.connections) connection->cut();
    });
  }
  co_return false;
}

}  // namespace adapters
