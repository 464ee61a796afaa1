#pragma once

#include <cstdint>
#include <string_view>

#include "core/ids.h"
#include "stream/producer_table.h"
#include "stream/request.h"

namespace stream {

/// What the outcome of an append depends on: the stream as of the last offset that was assigned,
/// durable or not. Pointers are to be valid during the call.
struct AppendFacts {
  std::string_view content_type;
  core::Offset tail = 0;
  const StreamEnd* ended = nullptr;          // Null: open.
  const ProducerTable* producers = nullptr;  // Null: nobody appended.
  bool deleted = false;                      // Soft-deleted.
};

enum class AppendAction : std::uint8_t {
  answer,  // Write nothing. The answer may speak of writes that are not durable yet
           // (duplicate, closed): it must not overtake them.
  append,
  append_close,  // Append, and the stream ends with it.
  close,         // The stream ends at its tail; no content.
};

struct AppendDecision {
  AppendAction action = AppendAction::answer;
  AppendReply reply;  // What to answer once the action is durable.
  bool operator==(const AppendDecision&) const = default;
};

/// Judges an append to an existing stream, in the order that the Durable Streams protocol lays
/// down: deleted, ended, content type, producer, expected offset, Stream-Seq, body. Changes
/// nothing.
AppendDecision check_append(const AppendFacts& facts, const AppendRequest& request);

}  // namespace stream
