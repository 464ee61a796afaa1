#include "app/stream_node.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>
#include <utility>

#include "adapters/chain/chain_store.h"
#include "adapters/files/file_store.h"
#include "adapters/files/file_wal_store.h"
#include "adapters/sqlite/sqlite_log.h"
#include "app/allocator.h"
#include "app/command.h"

namespace app {
namespace {

namespace asio = boost::asio;

std::uint64_t draw_from_system() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

/// Connections on the logic thread cost no change of threads, which on two cores is worth more than
/// a second thread: docs/decisions/0010.
std::size_t network_threads(const ServeOptions& options) {
  if (options.network_threads) return *options.network_threads;
  const std::size_t cores = std::thread::hardware_concurrency();
  return cores <= 2 ? 0 : cores - 1;
}

drivers::EngineOptions engine_options(const ServeOptions& options) {
  drivers::EngineOptions engine;
  engine.log_cache_bytes = options.log_cache_bytes;
  engine.block_cache_bytes = options.block_cache_bytes;
  engine.upload_bytes = options.upload_bytes;
  engine.upload_interval =
      std::chrono::duration_cast<std::chrono::milliseconds>(options.upload_interval);
  return engine;
}

/// What must not go on ends at once, sockets and all; the next start recovers.
[[noreturn]] void die(const core::Error& error) {
  spdlog::error("stopping at once: {}", error.context);
  spdlog::default_logger()->flush();
  std::_Exit(kFailed);
}

}  // namespace

StreamNode::StreamNode(const ServeOptions& options)
    : options_(options),
      signals_(logic_),
      stop_asked_(logic_.get_executor()),
      loop_ended_(logic_.get_executor()) {}

StreamNode::~StreamNode() = default;

int StreamNode::run() {
  // Ports first: whoever finds them taken must not have written anything.
  for (const auto step : {&StreamNode::listen, &StreamNode::open_stores, &StreamNode::open_wals}) {
    if (const auto done = (this->*step)(); !done) {
      const bool is_broken = done.error().code == core::Errc::corrupt;
      return complain("serve", done.error().context, is_broken ? kFailed : kUsage);
    }
  }
  signals_.add(SIGINT);
  signals_.add(SIGTERM);
  asio::co_spawn(logic_, await_signal(), asio::detached);
  asio::co_spawn(logic_, live(), asio::detached);
  logic_.run();
  if (was_cut_) {
    // A request that was cut may still hang between its network thread and this one. It holds
    // parts of both, so neither can be taken down around it.
    spdlog::default_logger()->flush();
    std::_Exit(status_);
  }
  return status_;
}

core::Result<void> StreamNode::listen() {
  const std::size_t threads = network_threads(options_);
  server_ = threads == 0 ? std::make_unique<adapters::HttpServer>(logic_)
                         : std::make_unique<adapters::HttpServer>(threads);
  adapters::HttpLimits limits;
  limits.max_body = options_.max_body_bytes;
  const HostPort& streams = options_.listen;
  TRY(stream_port_, server_->listen(streams.host, streams.port, stream_gate_, limits));
  const HostPort& admin = options_.admin_listen;
  TRY(admin_port_, server_->listen(admin.host, admin.port, admin_gate_, {}));
  return {};
}

core::Result<void> StreamNode::open_stores() {
  if (options_.meta.in_memory) {
    TRY(log_, adapters::SqliteLog::open(logic_.get_executor(), ":memory:"));
  } else {
    const auto folder = std::filesystem::path(options_.meta.path).parent_path();
    TRY(lock_, adapters::DirectoryLock::take(folder.empty() ? "." : folder.string()));
    TRY(log_, adapters::SqliteLog::open(logic_.get_executor(), options_.meta.path));
  }
  TRY(store_, adapters::FileStore::open(options_.storage_path));
  return {};
}

core::Result<void> StreamNode::open_wals() {
  const core::Random random(draw_from_system());
  if (options_.wal.kind == WalKind::local) {
    TRY(wals_, adapters::FileWalStore::open(options_.wal.path, random));
    return {};
  }
  TRY(wal_objects_, adapters::FileStore::open(options_.wal.path));
  auto chains = std::make_unique<adapters::ChainStore>(*wal_objects_, timers_, random);
  chains_ = chains.get();
  wals_ = std::move(chains);
  return {};
}

ports::Task<void> StreamNode::await_signal() {
  const auto token = asio::as_tuple(asio::use_awaitable);
  const auto [error, number] = co_await signals_.async_wait(token);
  if (error) co_return;
  is_stop_asked_ = true;
  if (!engine_ || !stream_handler_) {
    spdlog::info("stopped while starting");
    std::_Exit(kDone);
  }
  spdlog::info("stopping: signal {}", number);
  stop_asked_.notify_all();
}

ports::Task<void> StreamNode::live() {
  if (const auto started = co_await start(); !started) {
    const bool is_refused =
        started.error().code == core::Errc::invalid || started.error().code == core::Errc::conflict;
    (void)complain("serve", started.error().context, 0);
    std::_Exit(is_refused ? kUsage : kFailed);
  }
  while (!is_stop_asked_) co_await stop_asked_.wait();
  co_await stop();
}

ports::Task<core::Result<void>> StreamNode::start() {
  const auto executor = logic_.get_executor();
  // A store that lets two writers create one object would let two nodes own one stream.
  if (chains_ != nullptr) CO_TRY_VOID(co_await chains_->probe());
  drivers::ProposerOptions proposing;
  proposing.seed = draw_from_system();
  proposer_ = std::make_unique<drivers::Proposer>(executor, *log_, timers_, proposing);
  CO_TRY_VOID(co_await proposer_->start());
  spawn_loop(run_proposer(), cancel_proposer_);

  drivers::HeartbeatOptions beating;
  beating.node = options_.node_id;
  beating.address =
      options_.http_address ? options_.http_address->text() : "http://" + options_.listen.text();
  beating.slots = static_cast<std::uint32_t>(options_.slots);
  beating.token = draw_from_system();
  beating.interval = options_.heartbeat_interval;
  heartbeat_ = std::make_unique<drivers::Heartbeat>(*proposer_, timers_, std::move(beating));
  CO_TRY(const core::Life life, co_await heartbeat_->register_node());
  spawn_loop(run_heartbeat(), cancel_heartbeat_);

  drivers::EnginePorts ports{executor, *proposer_, *store_, *wals_, timers_};
  engine_ = std::make_unique<drivers::Engine>(std::move(ports), life, engine_options(options_));
  engine_->context().on_fatal = die;
  engine_->context().log_line = [](const std::string& line) { spdlog::warn("{}", line); };
  CO_TRY_VOID(co_await engine_->start());

  drivers::ServeOptions serving;
  serving.long_poll_timeout = options_.long_poll_timeout;
  serving.sse_max_duration = options_.sse_max_duration;
  serving.seed = draw_from_system();
  stream_handler_ = std::make_unique<drivers::StreamHandler>(
      *engine_, executor, server_->executors(), timers_, metrics_, serving);
  admin_ = std::make_unique<NodeAdmin>(*engine_, options_.cluster_id);
  admin_handler_ = std::make_unique<drivers::AdminHandler>(*admin_, executor, metrics_);
  stream_gate_.open(*stream_handler_);
  admin_gate_.open(*admin_handler_);
  spdlog::info("listening: streams on {}:{}, admin on {}:{}", options_.listen.host, stream_port_,
               options_.admin_listen.host, admin_port_);
  // What loading the view and replaying needed for a moment is given back to the system.
  release_free_memory();
  const drivers::EngineStats& stats = engine_->context().stats;
  spdlog::info(
      "ready: node {} at epoch {}, {} streams, {} write-ahead log records replayed "
      "({} bytes)",
      raw(life.node), raw(life.epoch), proposer_->view()->streams.size(), stats.replayed_records,
      stats.replayed_bytes);
  co_return core::Result<void>{};
}

ports::Task<void> StreamNode::stop() {
  admin_->set_stopping();
  co_await timers_.sleep_until(timers_.now() + options_.shutdown_drain);
  stream_handler_->end_live_reads();
  server_->stop();
  const bool drained = co_await server_->drain(options_.shutdown_timeout);
  was_cut_ = !drained;
  if (was_cut_) spdlog::warn("cut the connections that did not end in time");
  if (const auto stopped = co_await engine_->stop(); !stopped) {
    // Nothing is lost: the write-ahead log has it, and the next start replays it.
    spdlog::warn("not everything was stored away: {}", stopped.error().context);
    status_ = kFailed;
  }
  cancel_heartbeat_.emit(asio::cancellation_type::all);
  if (const auto fenced = co_await heartbeat_->fence_self(); !fenced) {
    spdlog::warn("the end of this life was not recorded: {}", fenced.error().context);
  }
  cancel_proposer_.emit(asio::cancellation_type::all);
  while (loops_ > 0) co_await loop_ended_.wait();
  spdlog::info("stopped");
}

template <class Loop>
void StreamNode::spawn_loop(Loop loop, asio::cancellation_signal& cancel) {
  loops_ += 1;
  asio::co_spawn(logic_, std::move(loop),
                 asio::bind_cancellation_slot(cancel.slot(), [this](std::exception_ptr) {
                   loops_ -= 1;
                   loop_ended_.notify_all();
                 }));
}

ports::Task<void> StreamNode::run_proposer() {
  const auto ended = co_await proposer_->run();
  if (!ended && !is_stop_asked_) die(ended.error());
}

ports::Task<void> StreamNode::run_heartbeat() {
  const core::Error error = co_await heartbeat_->run();
  if (!is_stop_asked_) die(error);
}

}  // namespace app
