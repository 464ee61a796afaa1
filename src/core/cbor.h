#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace core {

/// Writes CBOR (RFC 8949) items one after the other, each in its shortest form.
class CborWriter {
 public:
  void put_unsigned(std::uint64_t value);
  void put_signed(std::int64_t value);
  void put_bytes(std::string_view bytes);
  void put_bool(bool value);
  void put_null();
  void begin_array(std::size_t items);
  void begin_map(std::size_t pairs);

  const std::string& bytes() const { return out_; }
  std::string take() && { return std::move(out_); }

 private:
  std::string out_;
};

/// Reads CBOR items one after the other, and stays at the first that is not as expected.
///
/// Takes what CborWriter writes: no text, tags, floats or items of unknown length. Bytes are read
/// in place, so they must outlive what `take_bytes` gives.
class CborReader {
 public:
  explicit CborReader(std::string_view bytes) : bytes_(bytes) {}

  // False if the next item is something else, or there is none.
  bool take_unsigned(std::uint64_t& value);
  bool take_signed(std::int64_t& value);
  bool take_bytes(std::string_view& bytes);
  bool take_bool(bool& value);
  bool take_array(std::uint64_t& items);
  bool take_map(std::uint64_t& pairs);

  /// True if the next item was null; otherwise nothing is taken, and that is no error.
  bool take_null();

  /// False, as an error, if bytes are left.
  bool at_end();

  std::size_t position() const { return position_; }

  /// Notes that the item just taken breaks a rule of the caller. Returns false.
  bool fail(const char* what);

  /// The same, because only a newer version can have written it.
  bool fail_newer(const char* what, std::uint64_t number);

  /// Why the last step failed: a line with the position and the rule.
  const std::string& error() const { return error_; }

 private:
  enum class Kind { none, unsigned_number, negative, bytes, array, map, boolean, null, other };
  struct Item;

  bool next(Kind wanted, Item& item);

  std::string_view bytes_;
  std::size_t position_ = 0;
  std::size_t last_ = 0;  // Where the item taken last begins.
  std::string error_;
};

}  // namespace core
