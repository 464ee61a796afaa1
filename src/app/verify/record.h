#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace app::verify {

// What verify writes: records that say who wrote them, when in that writer's life, and what they
// must contain, so that one look at a record tells whether it is whole.

enum class StreamKind : std::uint8_t {
  json,   // application/json: one record is one message.
  text,   // text/plain: one record is one line.
  bytes,  // application/octet-stream: the same with bytes that are no text.
};

constexpr StreamKind kKinds[] = {StreamKind::json, StreamKind::text, StreamKind::bytes};

const char* name_of(StreamKind kind);
const char* content_type_of(StreamKind kind);

struct RecordKey {
  std::uint32_t writer = 0;
  std::uint32_t request = 0;  // 0, 1, 2 ... of that writer.
  std::uint32_t index = 0;    // Within the request.
  auto operator<=>(const RecordKey&) const = default;
};

/// `w3.r17.0`
std::string text_of(const RecordKey& key);

/// One record as a reader got it.
struct Seen {
  RecordKey key;
  std::uint32_t count = 0;  // Records of its request, as it says itself.
  std::uint64_t hash = 0;   // Of its whole content.
  std::string damage;       // Not empty: it makes no sense; the first bytes of it, printable.
  bool operator==(const Seen&) const = default;
};

/// What the records of a request hash to, in order.
std::uint64_t hash_of_request(const std::vector<std::uint64_t>& records);

/// What one append of `count` records has to contain, ready for the wire.
struct RequestBody {
  std::string text;
  std::uint64_t hash = 0;
};

/// `size` is the length of each record's filling, which is drawn from the run and the key.
RequestBody make_request(StreamKind kind, const std::string& run, std::uint32_t writer,
                         std::uint32_t request, std::uint32_t count, std::size_t size);

/// Takes what a reader got apart, in pieces cut anywhere. JSON pieces must be whole arrays.
class RecordDecoder {
 public:
  RecordDecoder(StreamKind kind, std::string run) : kind_(kind), run_(std::move(run)) {}

  /// The records that are complete with this piece.
  std::vector<Seen> feed(std::string_view piece);

  /// What is left over: the beginning of a record that never ended. Empty if nothing is.
  const std::string& rest() const { return rest_; }

 private:
  StreamKind kind_;
  std::string run_;
  std::string rest_;
};

}  // namespace app::verify
