#include "stream/record_batch.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

#include "core/check.h"
#include "core/crc32c.h"
#include "core/fixed.h"
#include "stream/record_reader.h"

namespace stream {
namespace {

// Positions in the header of a batch.
constexpr std::size_t kBaseOffsetAt = 0;
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kCrcAt = 17;
constexpr std::size_t kCheckedFrom = 21;  // The checksum covers everything from here on.
constexpr std::size_t kAttributesAt = 21;
constexpr std::size_t kLastOffsetDeltaAt = 23;
constexpr std::size_t kFirstTimestampAt = 27;
constexpr std::size_t kMaxTimestampAt = 35;
constexpr std::size_t kProducerIdAt = 43;
constexpr std::size_t kProducerEpochAt = 51;
constexpr std::size_t kBaseSequenceAt = 53;
constexpr std::size_t kRecordCountAt = 57;
constexpr std::size_t kLengthExcludes = 12;  // The length counts what follows it.

constexpr char kMagic = 2;
constexpr int kCodecMask = 7;

constexpr std::string_view kProducerIdKey = "ds-producer-id";
constexpr std::string_view kProducerEpochKey = "ds-producer-epoch";
constexpr std::string_view kProducerSequenceKey = "ds-producer-seq";
constexpr std::string_view kStreamSeqKey = "ds-stream-seq";
constexpr std::string_view kCloseKey = "ds-close";

constexpr std::size_t signed_varint_size(std::size_t value) {
  return core::uvarint_size(core::zigzag(static_cast<std::int64_t>(value)));
}

char* store_signed_varint(char* at, std::size_t value) {
  return core::store_uvarint(at, core::zigzag(static_cast<std::int64_t>(value)));
}

void put_field(std::string& out, std::string_view field) {
  core::put_uvarint(out, core::zigzag(static_cast<std::int64_t>(field.size())));
  out.append(field);
}

/// The encoded headers of the first record.
std::string encode_identity(const BatchIdentity& identity) {
  const std::size_t count =
      (identity.producer ? 3u : 0u) + (identity.stream_seq ? 1u : 0u) + (identity.closes ? 1u : 0u);
  std::string headers(1, static_cast<char>(core::zigzag(static_cast<std::int64_t>(count))));
  if (count == 0) return headers;
  constexpr std::size_t kKeysAndNumbers = 128;
  headers.reserve(kKeysAndNumbers + (identity.producer ? identity.producer->id.size() : 0) +
                  (identity.stream_seq ? identity.stream_seq->size() : 0));
  const auto put = [&](std::string_view key, std::string_view value) {
    put_field(headers, key);
    put_field(headers, value);
  };
  if (identity.producer) {
    const fmt::format_int epoch(identity.producer->epoch);
    const fmt::format_int sequence(identity.producer->sequence);
    put(kProducerIdKey, identity.producer->id);
    put(kProducerEpochKey, std::string_view(epoch.data(), epoch.size()));
    put(kProducerSequenceKey, std::string_view(sequence.data(), sequence.size()));
  }
  if (identity.stream_seq) put(kStreamSeqKey, *identity.stream_seq);
  if (identity.closes) put(kCloseKey, {});
  return headers;
}

/// Bytes of a record after its length: attributes, timestamp delta (0) and null key take one each.
std::size_t record_length(std::size_t index, std::size_t value, std::size_t headers) {
  return 3 + signed_varint_size(index) + signed_varint_size(value) + value + headers;
}

void put_header(std::string& out, std::size_t size, std::size_t records, core::WallMs at_ms) {
  std::array<char, kBatchHeaderSize> header{};
  char* const at = header.data();
  core::store_be(at + kLengthAt, static_cast<std::int32_t>(size - kLengthExcludes));
  at[kMagicAt] = kMagic;
  core::store_be(at + kLastOffsetDeltaAt, static_cast<std::int32_t>(records - 1));
  core::store_be(at + kFirstTimestampAt, at_ms);
  core::store_be(at + kMaxTimestampAt, at_ms);
  core::store_be(at + kProducerIdAt, std::int64_t{-1});
  core::store_be(at + kProducerEpochAt, std::int16_t{-1});
  core::store_be(at + kBaseSequenceAt, std::int32_t{-1});
  core::store_be(at + kRecordCountAt, static_cast<std::int32_t>(records));
  out.append(header.data(), header.size());
}

/// A decimal number, all of `text`.
bool parse_number(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// What the headers of a first record say. Others may have put headers of these names there, so
/// what is incomplete or malformed counts as absent. False if they are no headers at all.
bool decode_identity(std::string_view headers, BatchIdentity& identity) {
  std::optional<std::string_view> id;
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
  bool has_epoch = false;
  bool has_sequence = false;
  HeaderReader reader(headers);
  for (RecordHeader header; reader.next(header);) {
    const std::string_view value = header.value.value_or(std::string_view());
    if (header.key == kProducerIdKey) id = value;
    if (header.key == kProducerEpochKey) has_epoch = parse_number(value, epoch);
    if (header.key == kProducerSequenceKey) has_sequence = parse_number(value, sequence);
    if (header.key == kStreamSeqKey) identity.stream_seq = std::string(value);
    if (header.key == kCloseKey) identity.closes = true;
  }
  if (id && !id->empty() && has_epoch && has_sequence) {
    identity.producer = ProducerClaim{.id = std::string(*id), .epoch = epoch, .sequence = sequence};
  }
  return reader.at_end();
}

tl::unexpected<core::Error> corrupt(std::string why) {
  return core::fail(core::Errc::corrupt, "record batch: " + std::move(why));
}

}  // namespace

FramedBatch frame_batch(std::span<const std::string_view> values, core::WallMs at_ms,
                        const BatchIdentity& identity) {
  if (values.empty()) return FramedBatch{};
  const std::string first_headers = encode_identity(identity);
  constexpr std::string_view kNoHeaders("\0", 1);

  std::size_t size = kBatchHeaderSize;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t headers = i == 0 ? first_headers.size() : kNoHeaders.size();
    const std::size_t length = record_length(i, values[i].size(), headers);
    size += signed_varint_size(length) + length;
  }
  CHECK(size < kMaxBatchSize);

  std::string out;
  out.reserve(size);
  put_header(out, size, values.size(), at_ms);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view headers = i == 0 ? std::string_view(first_headers) : kNoHeaders;
    std::array<char, 3 * core::kMaxUvarint + 3> start;
    char* at =
        store_signed_varint(start.data(), record_length(i, values[i].size(), headers.size()));
    *at++ = 0;  // Attributes.
    *at++ = 0;  // Timestamp delta.
    at = store_signed_varint(at, i);
    *at++ = 1;  // Length of the key: -1, null.
    at = store_signed_varint(at, values[i].size());
    out.append(start.data(), static_cast<std::size_t>(at - start.data()));
    out.append(values[i]);
    out.append(headers);
  }
  CHECK(out.size() == size);
  const std::uint32_t crc = core::crc32c(std::string_view(out).substr(kCheckedFrom));
  core::store_be(out.data() + kCrcAt, crc);
  return FramedBatch{.bytes = std::move(out), .records = static_cast<std::uint32_t>(values.size())};
}

std::string frame_close_mark(core::WallMs at_ms, BatchIdentity identity) {
  identity.closes = true;
  const std::array<std::string_view, 1> empty{};
  return frame_batch(empty, at_ms, identity).bytes;
}

void set_base_offset(char* batch, core::Offset base) {
  core::store_be(batch + kBaseOffsetAt, base);
}

void set_base_offset(std::string& batch, core::Offset base) {
  CHECK(batch.size() >= kBatchHeaderSize);
  set_base_offset(batch.data(), base);
}

core::Result<BatchHeader> peek_batch(std::string_view bytes) {
  if (bytes.size() < kBatchHeaderSize) {
    return corrupt(
        fmt::format("{} bytes are less than its header of {}", bytes.size(), kBatchHeaderSize));
  }
  const char* const at = bytes.data();
  if (at[kMagicAt] != kMagic) {
    return corrupt(fmt::format("magic {}, expected {}", int{at[kMagicAt]}, int{kMagic}));
  }
  const std::int64_t size =
      std::int64_t{core::load_be<std::int32_t>(at + kLengthAt)} + std::int64_t{kLengthExcludes};
  if (size < std::int64_t{kBatchHeaderSize} || static_cast<std::size_t>(size) > bytes.size()) {
    return corrupt(fmt::format("says it is {} bytes long, {} are there", size, bytes.size()));
  }
  const auto base = core::load_be<std::int64_t>(at + kBaseOffsetAt);
  const auto last_delta = core::load_be<std::int32_t>(at + kLastOffsetDeltaAt);
  const auto records = core::load_be<std::int32_t>(at + kRecordCountAt);
  constexpr std::int64_t kLastBase =
      std::numeric_limits<std::int64_t>::max() - (std::int64_t{1} << 31);
  if (base < 0 || base > kLastBase) return corrupt(fmt::format("base offset {}", base));
  if (last_delta < 0 || records < 1 || records - 1 > last_delta) {
    return corrupt(fmt::format("{} records, last offset delta {}", records, last_delta));
  }
  return BatchHeader{
      .base = static_cast<core::Offset>(base),
      .end = static_cast<core::Offset>(base + last_delta + 1),
      .size = static_cast<std::size_t>(size),
      .records = static_cast<std::uint32_t>(records),
      .first_timestamp = core::load_be<std::int64_t>(at + kFirstTimestampAt),
      .max_timestamp = core::load_be<std::int64_t>(at + kMaxTimestampAt),
      .is_compressed = (core::load_be<std::int16_t>(at + kAttributesAt) & kCodecMask) != 0};
}

core::Result<BatchHeader> check_batch(std::string_view bytes) {
  TRY(const BatchHeader header, peek_batch(bytes));
  const std::string_view batch = bytes.substr(0, header.size);
  const auto stored = core::load_be<std::uint32_t>(batch.data() + kCrcAt);
  const std::uint32_t computed = core::crc32c(batch.substr(kCheckedFrom));
  if (stored != computed) {
    return corrupt(fmt::format("checksum {:08x}, its bytes have {:08x}", stored, computed));
  }
  return header;
}

core::Result<BatchInfo> inspect_batch(std::string_view bytes) {
  TRY(const BatchHeader header, check_batch(bytes));
  BatchInfo info{header, {}};
  if (header.is_compressed) return info;

  RecordReader reader(header, bytes.substr(0, header.size));
  std::uint32_t count = 0;
  for (Record record; reader.next(record); ++count) {
    BatchIdentity others;
    if (!decode_identity(record.headers, count == 0 ? info.identity : others)) {
      return corrupt(fmt::format("headers of record {} make no sense", count));
    }
  }
  if (!reader.ok()) return corrupt(fmt::format("record {} makes no sense", count));
  return info;
}

core::Result<BatchIdentity> read_identity(std::string_view batch) {
  TRY(RecordReader reader, RecordReader::open(batch));
  BatchIdentity identity;
  Record record;
  if (!reader.next(record) || !decode_identity(record.headers, identity)) {
    return corrupt("its first record makes no sense");
  }
  return identity;
}

}  // namespace stream
