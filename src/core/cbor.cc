#include "core/cbor.h"

#include <cbor/callbacks.h>
#include <cbor/encoding.h>
#include <cbor/streaming.h>
#include <fmt/format.h>

namespace core {
namespace {

constexpr std::size_t kLongestHead = 9;

template <class Encode, class Value>
void append(std::string& out, Encode encode, Value value) {
  unsigned char head[kLongestHead];
  const std::size_t length = encode(value, head, sizeof head);
  out.append(reinterpret_cast<const char*>(head), length);
}

}  // namespace

void CborWriter::put_unsigned(std::uint64_t value) {
  append(out_, cbor_encode_uint, value);
}

void CborWriter::put_signed(std::int64_t value) {
  if (value >= 0) return put_unsigned(static_cast<std::uint64_t>(value));
  append(out_, cbor_encode_negint, static_cast<std::uint64_t>(-1 - value));
}

void CborWriter::put_bytes(std::string_view bytes) {
  append(out_, cbor_encode_bytestring_start, bytes.size());
  out_.append(bytes);
}

void CborWriter::put_bool(bool value) {
  append(out_, cbor_encode_bool, value);
}

void CborWriter::put_null() {
  unsigned char head[1];
  out_.append(reinterpret_cast<const char*>(head), cbor_encode_null(head, sizeof head));
}

void CborWriter::begin_array(std::size_t items) {
  append(out_, cbor_encode_array_start, items);
}
void CborWriter::begin_map(std::size_t pairs) {
  append(out_, cbor_encode_map_start, pairs);
}

/// One item as libcbor reports it.
struct CborReader::Item {
  Kind kind = Kind::none;
  std::uint64_t number = 0;
  std::string_view bytes;

  static Item& of(void* context) { return *static_cast<Item*>(context); }
  void set(Kind new_kind, std::uint64_t new_number) {
    kind = new_kind;
    number = new_number;
  }

  static const cbor_callbacks& callbacks();
};

const cbor_callbacks& CborReader::Item::callbacks() {
  static const cbor_callbacks kCallbacks = [] {
    cbor_callbacks all = cbor_empty_callbacks;
    all.uint8 = [](void* c, std::uint8_t n) { of(c).set(Kind::unsigned_number, n); };
    all.uint16 = [](void* c, std::uint16_t n) { of(c).set(Kind::unsigned_number, n); };
    all.uint32 = [](void* c, std::uint32_t n) { of(c).set(Kind::unsigned_number, n); };
    all.uint64 = [](void* c, std::uint64_t n) { of(c).set(Kind::unsigned_number, n); };
    all.negint8 = [](void* c, std::uint8_t n) { of(c).set(Kind::negative, n); };
    all.negint16 = [](void* c, std::uint16_t n) { of(c).set(Kind::negative, n); };
    all.negint32 = [](void* c, std::uint32_t n) { of(c).set(Kind::negative, n); };
    all.negint64 = [](void* c, std::uint64_t n) { of(c).set(Kind::negative, n); };
    all.byte_string = [](void* c, cbor_data data, std::size_t length) {
      of(c).set(Kind::bytes, length);
      of(c).bytes = std::string_view(reinterpret_cast<const char*>(data), length);
    };
    all.array_start = [](void* c, std::size_t n) { of(c).set(Kind::array, n); };
    all.map_start = [](void* c, std::size_t n) { of(c).set(Kind::map, n); };
    all.boolean = [](void* c, bool value) { of(c).set(Kind::boolean, value ? 1 : 0); };
    all.null = [](void* c) { of(c).set(Kind::null, 0); };
    // Whatever else there is leaves the item as it was: other.
    return all;
  }();
  return kCallbacks;
}

bool CborReader::next(Kind wanted, Item& item) {
  const std::string_view rest = bytes_.substr(position_);
  item.kind = Kind::other;
  const cbor_decoder_result result = cbor_stream_decode(reinterpret_cast<cbor_data>(rest.data()),
                                                        rest.size(), &Item::callbacks(), &item);
  last_ = position_;
  if (result.status == CBOR_DECODER_NEDATA) return fail("the bytes end inside a value");
  if (result.status != CBOR_DECODER_FINISHED) return fail("no CBOR item");
  if (item.kind != wanted) return false;
  position_ += result.read;
  return true;
}

bool CborReader::take_unsigned(std::uint64_t& value) {
  Item item;
  if (!next(Kind::unsigned_number, item)) return fail("an item that is not an unsigned number");
  value = item.number;
  return true;
}

bool CborReader::take_signed(std::int64_t& value) {
  Item item;
  const bool is_positive = next(Kind::unsigned_number, item);
  if (!is_positive && item.kind != Kind::negative) return fail("an item that is not a number");
  if (!is_positive && !next(Kind::negative, item)) return false;
  if (item.number > static_cast<std::uint64_t>(INT64_MAX)) return fail("a number out of its range");
  const auto magnitude = static_cast<std::int64_t>(item.number);
  value = is_positive ? magnitude : -1 - magnitude;
  return true;
}

bool CborReader::take_bytes(std::string_view& bytes) {
  Item item;
  if (!next(Kind::bytes, item)) return fail("an item that is not a byte string");
  bytes = item.bytes;
  return true;
}

bool CborReader::take_bool(bool& value) {
  Item item;
  if (!next(Kind::boolean, item)) return fail("an item that is neither true nor false");
  value = item.number != 0;
  return true;
}

bool CborReader::take_null() {
  constexpr char kNull = '\xF6';
  if (position_ >= bytes_.size() || bytes_[position_] != kNull) return false;
  last_ = position_++;
  return true;
}

bool CborReader::take_array(std::uint64_t& items) {
  Item item;
  if (!next(Kind::array, item)) return fail("an item that is not an array");
  if (item.number > bytes_.size() - position_) return fail("an array that outruns the bytes");
  items = item.number;
  return true;
}

bool CborReader::take_map(std::uint64_t& pairs) {
  Item item;
  if (!next(Kind::map, item)) return fail("an item that is not a map");
  if (item.number > (bytes_.size() - position_) / 2) return fail("a map that outruns the bytes");
  pairs = item.number;
  return true;
}

bool CborReader::at_end() {
  if (position_ == bytes_.size()) return true;
  last_ = position_;
  return fail("bytes after the end of the value");
}

bool CborReader::fail(const char* what) {
  if (error_.empty()) error_ = fmt::format("{} at byte {} of {}", what, last_, bytes_.size());
  return false;
}

bool CborReader::fail_newer(const char* what, std::uint64_t number) {
  if (error_.empty()) {
    error_ = fmt::format("{} ({}) at byte {}: a newer version wrote this", what, number, last_);
  }
  return false;
}

}  // namespace core
