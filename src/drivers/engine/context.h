#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/ids.h"
#include "drivers/engine/active_streams.h"
#include "drivers/engine/block_reader.h"
#include "drivers/engine/options.h"
#include "drivers/proposer.h"
#include "ports/object_store.h"
#include "ports/signal.h"
#include "ports/timers.h"
#include "ports/wal.h"
#include "stream/expiry.h"

namespace drivers {

/// What the engine works on. All of it outlives the engine.
struct EnginePorts {
  ports::asio::any_io_executor executor;
  Proposer& proposer;
  ports::ObjectStore& store;
  ports::WalStore& wals;
  ports::Timers& timers;
};

/// What happened so far, for /metrics and /admin. Counts since the start of the process.
struct EngineStats {
  std::uint64_t appends = 0;  // Acknowledged.
  std::uint64_t append_records = 0;
  std::uint64_t append_bytes = 0;
  std::uint64_t append_failures = 0;
  std::uint64_t reads = 0;
  std::uint64_t read_slices = 0;
  std::uint64_t uploads = 0;
  std::uint64_t upload_bytes = 0;
  std::uint64_t upload_failures = 0;
  std::uint64_t compactions = 0;
  std::uint64_t replayed_records = 0;
  std::uint64_t replayed_bytes = 0;
  std::uint64_t damaged_streams = 0;
};

/// What the engine's parts share: the ports, this life, and the streams in memory.
struct EngineContext {
  EngineContext(EnginePorts with, core::Life who, const EngineOptions& how)
      : ports(std::move(with)),
        life(who),
        options(how),
        active(how.log_cache_bytes),
        blocks(ports.executor, ports.store, how.block_cache_bytes, how.readahead_blocks),
        upload_wanted(ports.executor) {}

  stream::ViewPtr view() const { return ports.proposer.view(); }

  EnginePorts ports;
  core::Life life;
  EngineOptions options;
  ActiveStreams active;
  BlockReader blocks;
  stream::Expiry expiry;
  EngineStats stats;
  ports::Signal upload_wanted;         // Somebody wants the uploader to look now.
  std::set<core::ObjectId> uploading;  // Reserved ids that an upload or a merge is about to use.
  /// Streams whose removal was asked for and not answered, each with a view that still has it.
  std::map<core::StreamId, stream::ViewPtr> in_doubt;
  bool is_stopping = false;
  std::function<void(const core::Error&)> on_fatal = [](const core::Error&) {};
  std::function<void(const std::string&)> log_line = [](const std::string&) {};
};

}  // namespace drivers
