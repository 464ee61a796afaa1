#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/result.h"
#include "drivers/stream_service.h"
#include "stream/view.h"

namespace sim {

/// What clients of the stream service sent and were told, and whether all of it can be true.
///
/// Every record says which append it belongs to, so whatever is read can be traced back. The first
/// contradiction is kept as a line; what can only be judged at the end is judged by
/// `check_everything` (sim/check_history.h).
class History {
 public:
  enum class Fate {
    pending,   // Never answered.
    refused,   // Nothing happened, said the node, every time it was asked.
    unknown,   // Some answer was lost or may mean either.
    accepted,  // Acknowledged.
  };

  /// One append as its client means it, however often it is sent.
  struct Append {
    std::string stream;
    std::uint32_t records = 0;
    std::size_t padding = 0;
    bool is_resent = false;  // Under one claim or Stream-Seq: once at most, however often sent.
    std::string producer;
    std::uint64_t sends = 0;
    std::uint64_t first_generation = 0;  // To which its producer's sequence belongs.
    Fate fate = Fate::pending;
    std::optional<core::Offset> base;  // As acknowledged.
    std::uint64_t generation = 0;      // In which it was acknowledged.
    bool is_certain = false;           // The stream existed from before the request to after it.
  };

  /// What was known when a request was sent.
  struct Moment {
    std::string stream;
    std::uint64_t sequence = 0;
    std::uint64_t generation = 0;
    bool exists = false;
    core::Offset tail = 0;
    std::optional<core::Offset> closed_at;
    core::Offset start = 0;
  };

  /// A name, as one creation after the other.
  struct Name {
    std::uint64_t generation = 0;
    bool exists = false;    // Surely: created, and nobody asked for its deletion.
    core::StreamId id{};    // If it exists.
    core::Offset tail = 0;  // The highest told.
    std::optional<core::Offset> closed_at;
    bool may_be_closed = false;    // Somebody asked for it.
    core::Offset start = 0;        // The highest told...
    core::Offset start_asked = 0;  // ...and asked for.
    bool may_expire = false;
  };

  /// What was seen of one stream, however it was read.
  struct Seen {
    std::string name;
    std::map<core::Offset, std::string> records;
    std::optional<std::uint64_t> gone_since;  // The sequence at which its deletion was answered.
  };

  const std::string& broken() const { return broken_; }
  void fail(const std::string& what);
  /// What happened, for whoever looks into a run.
  void note(const std::string& line) {
    if (on_note) on_note(line);
  }
  std::function<void(const std::string&)> on_note;
  /// Told with what is broken.
  std::function<std::string()> now = [] { return std::string(); };

  // Appends.
  std::uint64_t new_append(const std::string& stream, std::uint32_t records, std::size_t padding);
  Append& append(std::uint64_t id) { return appends_[id]; }
  const std::vector<Append>& appends() const { return appends_; }
  std::vector<std::string> values(std::uint64_t id) const;
  /// Which append a record belongs to, and which of its records it is.
  struct Origin {
    std::uint64_t append = 0;
    std::uint32_t index = 0;
  };
  std::optional<Origin> origin(std::string_view value) const;

  // Requests: first a moment, then what came of it.
  Moment begin(const std::string& stream);
  void end_append(const Moment& moment, std::uint64_t id, const stream::AppendRequest& request,
                  const core::Result<stream::AppendReply>& answer);
  void end_create(const Moment& moment, std::optional<std::uint64_t> id,
                  const stream::CreateRequest& request,
                  const core::Result<stream::CreateReply>& answer);
  void end_read(const Moment& moment, const stream::ReadRequest& request,
                const core::Result<stream::ReadReply>& answer);
  void end_facts(const Moment& moment, const core::Result<stream::StreamFacts>& answer);
  void end_trim(const Moment& moment, core::Offset start,
                const core::Result<drivers::TrimStatus>& answer);
  void saw_slices(core::StreamId id, const std::vector<stream::BatchSlice>& slices,
                  core::Offset start, core::Offset next);

  // Of the one client that creates and deletes a name.
  void exists_now(const std::string& stream, core::StreamId id);
  void may_go(const std::string& stream);
  void is_gone(const std::string& stream);

  Name& name(const std::string& stream) { return names_[stream]; }
  const std::map<std::string, Name>& names() const { return names_; }
  const std::map<core::StreamId, Seen>& seen() const { return seen_; }

 private:
  void check_alive(const Moment& moment, core::StreamId id);
  void saw_facts(const Moment& moment, const stream::StreamFacts& facts);
  void saw_end(const Moment& moment, core::Offset end, bool closed);
  void missing(const Moment& moment, const char* request);
  bool is_current(const Moment& moment) const;
  void judge_refusal(const Moment& moment, const Append& append,
                     const stream::AppendRequest& request, const stream::AppendReply& reply);

  std::string broken_;
  std::uint64_t sequence_ = 0;
  std::vector<Append> appends_;
  std::map<std::string, Name> names_;
  std::map<core::StreamId, Seen> seen_;
};

}  // namespace sim
