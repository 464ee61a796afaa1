#pragma once

#include <boost/pfr/core.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/cbor.h"
#include "core/rare.h"
#include "core/result.h"

namespace core {

// Plain structs as CBOR, field by field in the order of their declaration: an aggregate is an array
// of its fields, a variant is [index, value], an optional is null or the value, a string is a byte
// string. Integers and enums are integers, a map is a map in ascending order of its keys.
//
// A struct may grow at its end and a variant too: fields that the bytes lack keep their defaults.
// Bytes that have more than the struct, or an index that the variant lacks, are from a newer
// version and are refused. Structs must not nest in themselves, so depth and memory are bounded by
// the types and the length of the bytes, whatever they say.

namespace codec {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsOptional<Rare<T>> : std::true_type {};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
struct IsMap : std::false_type {};
template <class K, class V>
struct IsMap<std::map<K, V>> : std::true_type {};

template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

template <class T>
constexpr bool kIsNumber = std::is_integral_v<T> && !std::is_same_v<T, bool>;

}  // namespace codec

/// Appends the encoding of `value`.
template <class T>
void encode(CborWriter& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out.put_bool(value);
  } else if constexpr (std::is_enum_v<T>) {
    encode(out, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (codec::kIsNumber<T> && std::is_signed_v<T>) {
    out.put_signed(value);
  } else if constexpr (codec::kIsNumber<T>) {
    out.put_unsigned(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.put_bytes(value);
  } else if constexpr (codec::IsOptional<T>::value) {
    value ? encode(out, *value) : out.put_null();
  } else if constexpr (codec::IsVector<T>::value) {
    out.begin_array(value.size());
    for (const auto& item : value) encode(out, item);
  } else if constexpr (codec::IsMap<T>::value) {
    out.begin_map(value.size());
    for (const auto& [key, item] : value) {
      encode(out, key);
      encode(out, item);
    }
  } else if constexpr (codec::IsVariant<T>::value) {
    out.begin_array(2);
    out.put_unsigned(value.index());
    std::visit([&out](const auto& held) { encode(out, held); }, value);
  } else {
    static_assert(std::is_aggregate_v<T>, "no encoding for this type");
    out.begin_array(boost::pfr::tuple_size_v<T>);
    boost::pfr::for_each_field(value, [&out](const auto& field) { encode(out, field); });
  }
}

template <class T>
bool decode(CborReader& in, T& value);

namespace codec {

template <class T>
bool decode_number(CborReader& in, T& value) {
  if constexpr (std::is_signed_v<T>) {
    std::int64_t number = 0;
    if (!in.take_signed(number)) return false;
    if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max()) {
      return in.fail("a number out of its range");
    }
    value = static_cast<T>(number);
  } else {
    std::uint64_t number = 0;
    if (!in.take_unsigned(number)) return false;
    if (number > std::numeric_limits<T>::max()) return in.fail("a number out of its range");
    value = static_cast<T>(number);
  }
  return true;
}

template <class T>
bool decode_vector(CborReader& in, std::vector<T>& value) {
  std::uint64_t count = 0;
  if (!in.take_array(count)) return false;
  value.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!decode(in, value.emplace_back())) return false;
  }
  return true;
}

template <class K, class V>
bool decode_map(CborReader& in, std::map<K, V>& value) {
  std::uint64_t count = 0;
  if (!in.take_map(count)) return false;
  value.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    std::pair<K, V> item{};
    if (!decode(in, item.first)) return false;
    if (!value.empty() && !(value.rbegin()->first < item.first)) {
      return in.fail("map keys that do not ascend");
    }
    if (!decode(in, item.second)) return false;
    value.emplace_hint(value.end(), std::move(item));
  }
  return true;
}

template <std::size_t I, class... T>
bool decode_alternative(CborReader& in, std::uint64_t index, std::variant<T...>& value) {
  if constexpr (I == sizeof...(T)) {
    return in.fail_newer("a kind that this version does not know", index);
  } else {
    if (index == I) return decode(in, value.template emplace<I>());
    return decode_alternative<I + 1>(in, index, value);
  }
}

template <class... T>
bool decode_variant(CborReader& in, std::variant<T...>& value) {
  std::uint64_t count = 0;
  std::uint64_t index = 0;
  if (!in.take_array(count)) return false;
  if (count != 2) return in.fail("a choice that is not [kind, value]");
  return in.take_unsigned(index) && decode_alternative<0>(in, index, value);
}

template <class T>
bool decode_aggregate(CborReader& in, T& value) {
  std::uint64_t count = 0;
  if (!in.take_array(count)) return false;
  if (count > boost::pfr::tuple_size_v<T>) {
    return in.fail_newer("more fields than this version knows", count);
  }
  bool good = true;
  boost::pfr::for_each_field(value, [&](auto& field, std::size_t position) {
    if (good && position < count) good = decode(in, field);
  });
  return good;
}

}  // namespace codec

/// Reads one value. False if the bytes do not hold one; `in.error()` then says why.
template <class T>
bool decode(CborReader& in, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return in.take_bool(value);
  } else if constexpr (std::is_enum_v<T>) {
    std::underlying_type_t<T> number{};
    if (!codec::decode_number(in, number)) return false;
    value = static_cast<T>(number);
    return true;
  } else if constexpr (codec::kIsNumber<T>) {
    return codec::decode_number(in, value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    std::string_view bytes;
    if (!in.take_bytes(bytes)) return false;
    value.assign(bytes);
    return true;
  } else if constexpr (codec::IsOptional<T>::value) {
    if (in.take_null()) {
      value = std::nullopt;
      return true;
    }
    std::remove_cvref_t<decltype(*value)> held{};
    if (!decode(in, held)) return false;
    value = std::move(held);
    return true;
  } else if constexpr (codec::IsVector<T>::value) {
    return codec::decode_vector(in, value);
  } else if constexpr (codec::IsMap<T>::value) {
    return codec::decode_map(in, value);
  } else if constexpr (codec::IsVariant<T>::value) {
    return codec::decode_variant(in, value);
  } else {
    static_assert(std::is_aggregate_v<T>, "no encoding for this type");
    return codec::decode_aggregate(in, value);
  }
}

/// The encoding of `value` alone.
template <class T>
std::string encoded(const T& value) {
  CborWriter out;
  encode(out, value);
  return std::move(out).take();
}

/// The value that `bytes` holds, all of them. corrupt: with the position and the rule it breaks.
template <class T>
Result<T> decoded(std::string_view bytes) {
  CborReader in(bytes);
  T value{};
  if (!decode(in, value) || !in.at_end()) return fail(Errc::corrupt, in.error());
  return value;
}

}  // namespace core
