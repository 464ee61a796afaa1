#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <optional>

#include "adapters/clock/asio_timers.h"
#include "adapters/files/directory_lock.h"
#include "adapters/http/server.h"
#include "app/gate.h"
#include "app/node_admin.h"
#include "app/serve_options.h"
#include "drivers/engine/engine.h"
#include "drivers/heartbeat.h"
#include "drivers/proposer.h"
#include "drivers/serve/admin_handler.h"
#include "drivers/serve/metrics.h"
#include "drivers/serve/stream_handler.h"
#include "ports/command_log.h"
#include "ports/object_store.h"
#include "ports/signal.h"
#include "ports/wal.h"

namespace adapters {
class ChainStore;
}

namespace app {

/// One stream node from start to stop: owns every adapter and driver and puts them together.
///
///     listen ──> lock, open stores ──> replay the command log ──> register ──> recover ──> ready
///     stop: unready ──> drain ──> end live reads ──> stop listening ──> upload, close ──> fence
///
/// `run` blocks; its thread is the logic thread. Whatever must not go on ends the process at once:
/// every start recovers, so a crash is the safe way out.
class StreamNode {
 public:
  explicit StreamNode(const ServeOptions& options);
  StreamNode(const StreamNode&) = delete;
  StreamNode& operator=(const StreamNode&) = delete;
  ~StreamNode();

  /// Returns the exit status of the process.
  int run();

 private:
  core::Result<void> listen();
  core::Result<void> open_stores();
  core::Result<void> open_wals();
  ports::Task<void> live();
  ports::Task<core::Result<void>> start();
  ports::Task<void> stop();
  ports::Task<void> run_proposer();
  ports::Task<void> run_heartbeat();
  ports::Task<void> await_signal();

  template <class Loop>
  void spawn_loop(Loop loop, boost::asio::cancellation_signal& cancel);

  const ServeOptions options_;
  boost::asio::io_context logic_{1};
  adapters::AsioTimers timers_;
  boost::asio::signal_set signals_;
  ports::Signal stop_asked_;
  ports::Signal loop_ended_;
  boost::asio::cancellation_signal cancel_proposer_;
  boost::asio::cancellation_signal cancel_heartbeat_;
  int loops_ = 0;
  bool is_stop_asked_ = false;
  bool was_cut_ = false;  // Connections outlasted the stop.
  int status_ = 0;
  std::uint16_t stream_port_ = 0;
  std::uint16_t admin_port_ = 0;

  std::optional<adapters::DirectoryLock> lock_;
  std::unique_ptr<ports::CommandLog> log_;
  std::unique_ptr<ports::ObjectStore> store_;
  std::unique_ptr<ports::ObjectStore> wal_objects_;  // Of an object chain.
  std::unique_ptr<ports::WalStore> wals_;
  adapters::ChainStore* chains_ = nullptr;  // What `wals_` is, if it is object chains.
  std::unique_ptr<drivers::Proposer> proposer_;
  std::unique_ptr<drivers::Heartbeat> heartbeat_;
  std::unique_ptr<drivers::Engine> engine_;

  drivers::HttpMetrics metrics_;
  std::unique_ptr<drivers::StreamHandler> stream_handler_;
  std::unique_ptr<NodeAdmin> admin_;
  std::unique_ptr<drivers::AdminHandler> admin_handler_;
  Gate stream_gate_;
  Gate admin_gate_;
  std::unique_ptr<adapters::HttpServer> server_;  // Last: its threads call all of the above.
};

}  // namespace app
