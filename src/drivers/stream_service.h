#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "ports/task.h"
#include "stream/request.h"

namespace drivers {

/// Follows a stream's tail. Called on the logic thread, in order, and must return at once; an
/// implementation for a network thread posts there.
class TailListener {
 public:
  virtual ~TailListener() = default;
  virtual void on_tail(std::shared_ptr<const stream::TailUpdate> update) = 0;
};

struct ListRequest {
  std::string prefix;
  std::string start_after;
  std::size_t limit = 1000;
};

struct ListedStream {
  std::string name;
  stream::StreamFacts facts;
};

enum class DeleteStatus : std::uint8_t { done, not_found, deleted };
enum class TrimStatus : std::uint8_t { done, not_found, deleted, beyond_tail };

/// What the stream service does, whatever protocol asks for it. Runs on the logic thread: callers
/// on other threads co_spawn onto its executor. The engine implements it.
///
/// Errors (core::Error) map to answers once, at the protocol's edge:
/// unavailable, unknown: 503 with Retry-After. full: 507. corrupt: 500 with the context.
/// fenced: 503. limit: 413 or 429. invalid: 400.
class StreamService {
 public:
  virtual ~StreamService() = default;

  virtual ports::Task<core::Result<stream::CreateReply>> create(stream::CreateRequest request) = 0;

  /// Returns once what it says is durable.
  virtual ports::Task<core::Result<stream::AppendReply>> append(stream::AppendRequest request) = 0;

  /// What is there now; never waits for more.
  virtual ports::Task<core::Result<stream::ReadReply>> read(stream::ReadRequest request) = 0;

  /// not_found if there is no such stream; does not restart a TTL.
  virtual ports::Task<core::Result<stream::StreamFacts>> facts(std::string name) = 0;

  virtual ports::Task<core::Result<DeleteStatus>> remove(std::string name) = 0;
  virtual ports::Task<core::Result<TrimStatus>> trim(std::string name, core::Offset start) = 0;
  virtual ports::Task<core::Result<std::vector<ListedStream>>> list(ListRequest request) = 0;

  /// From now on `listener` hears of the stream's tail; first comes one update with the present
  /// state and no records. The service holds a weak reference: drop the listener to unsubscribe.
  /// not_found, or deleted streams: the update says `gone`.
  virtual void follow(std::string name, std::weak_ptr<TailListener> listener) = 0;
};

}  // namespace drivers
