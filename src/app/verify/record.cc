#include "app/verify/record.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/random.h"

namespace app::verify {
namespace {

constexpr std::uint64_t kHashStart = 0xCBF29CE484222325ULL;  // FNV-1a, 64 bits.
constexpr std::uint64_t kHashFactor = 0x100000001B3ULL;
constexpr std::size_t kShown = 48;  // Bytes of a damaged record that a report shows.

std::uint64_t extend(std::uint64_t hash, std::string_view bytes) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * kHashFactor;
  return hash;
}

struct Fields {
  RecordKey key;
  std::uint32_t count = 0;
};

std::uint64_t hash_of_record(const std::string& run, const Fields& fields,
                             std::string_view filling) {
  const std::string head = fmt::format("{} {} {} {} {} ", run, fields.key.writer,
                                       fields.key.request, fields.key.index, fields.count);
  return extend(extend(kHashStart, head), filling);
}

std::string make_filling(StreamKind kind, std::uint64_t seed, std::size_t size) {
  constexpr std::string_view kText =
      "abcdefghijklmnopqrstuvwxyz0123456789-_.:,;ABCDEFGHIJKLMNOPQRSTUV";
  core::Random random(seed);
  std::string filling;
  filling.reserve(size + 8);
  while (filling.size() < size) {
    std::uint64_t bits = random.next();
    for (int i = 0; i < 8; ++i, bits >>= 8) {
      const auto byte = static_cast<unsigned char>(bits);
      if (kind == StreamKind::bytes) {
        filling += byte == '\n' ? '\0' : static_cast<char>(byte);
      } else {
        filling += kText[byte % kText.size()];
      }
    }
  }
  filling.resize(size);
  return filling;
}

std::string excerpt(std::string_view bytes) {
  std::string shown;
  for (const char c : bytes.substr(0, kShown)) shown += c >= 0x20 && c < 0x7F ? c : '.';
  return shown.empty() ? "(nothing)" : shown + (bytes.size() > kShown ? "..." : "");
}

Seen damaged(std::string_view bytes) {
  Seen seen;
  seen.damage = excerpt(bytes);
  return seen;
}

template <class T>
std::optional<T> number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// `#1 RUN W R I N HASH FILLING`, without the newline.
Seen decode_line(const std::string& run, std::string_view line) {
  constexpr std::size_t kFields = 7;
  std::array<std::string_view, kFields> parts;
  std::string_view rest = line;
  for (auto& part : parts) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos) return damaged(line);
    part = rest.substr(0, space);
    rest.remove_prefix(space + 1);
  }
  const auto writer = number<std::uint32_t>(parts[2]);
  const auto request = number<std::uint32_t>(parts[3]);
  const auto index = number<std::uint32_t>(parts[4]);
  const auto count = number<std::uint32_t>(parts[5]);
  const auto hash = number<std::uint64_t>(parts[6], 16);
  if (parts[0] != "#1" || parts[1] != run || !writer || !request || !index || !count || !hash) {
    return damaged(line);
  }
  const Fields fields{{*writer, *request, *index}, *count};
  if (hash_of_record(run, fields, rest) != *hash) return damaged(line);
  return Seen{fields.key, fields.count, *hash, {}};
}

Seen decode_message(const std::string& run, const nlohmann::json& message) {
  const auto text = [&] {
    return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  if (!message.is_object()) return damaged(text());
  for (const char* name : {"w", "r", "i", "n"}) {
    if (!message.contains(name) || !message[name].is_number_unsigned()) return damaged(text());
  }
  for (const char* name : {"run", "pad", "h"}) {
    if (!message.contains(name) || !message[name].is_string()) return damaged(text());
  }
  const Fields fields{{message["w"].get<std::uint32_t>(), message["r"].get<std::uint32_t>(),
                       message["i"].get<std::uint32_t>()},
                      message["n"].get<std::uint32_t>()};
  const auto& filling = message["pad"].get_ref<const std::string&>();
  const auto hash = number<std::uint64_t>(message["h"].get_ref<const std::string&>(), 16);
  if (message["run"] != run || !hash || hash_of_record(run, fields, filling) != *hash) {
    return damaged(text());
  }
  return Seen{fields.key, fields.count, *hash, {}};
}

std::vector<Seen> decode_array(const std::string& run, std::string_view text) {
  if (text.empty()) return {};
  const auto array = nlohmann::json::parse(text, nullptr, false);
  if (!array.is_array()) return {damaged(text)};
  std::vector<Seen> seen;
  seen.reserve(array.size());
  for (const auto& message : array) seen.push_back(decode_message(run, message));
  return seen;
}

}  // namespace

const char* name_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::json: return "json";
    case StreamKind::text: return "text";
    case StreamKind::bytes: return "bytes";
  }
  return "json";
}

const char* content_type_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::json: return "application/json";
    case StreamKind::text: return "text/plain";
    case StreamKind::bytes: return "application/octet-stream";
  }
  return "application/octet-stream";
}

std::string text_of(const RecordKey& key) {
  return fmt::format("w{}.r{}.{}", key.writer, key.request, key.index);
}

std::uint64_t hash_of_request(const std::vector<std::uint64_t>& records) {
  std::uint64_t hash = kHashStart;
  for (const std::uint64_t record : records) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash = (hash ^ ((record >> shift) & 0xFF)) * kHashFactor;
    }
  }
  return hash;
}

RequestBody make_request(StreamKind kind, const std::string& run, std::uint32_t writer,
                         std::uint32_t request, std::uint32_t count, std::size_t size) {
  RequestBody body;
  std::vector<std::uint64_t> hashes;
  const bool json = kind == StreamKind::json;
  if (json && count > 1) body.text += '[';
  for (std::uint32_t i = 0; i < count; ++i) {
    const Fields fields{{writer, request, i}, count};
    const std::string filling = make_filling(kind, hash_of_record(run, fields, ""), size);
    const std::uint64_t hash = hash_of_record(run, fields, filling);
    if (json) {
      body.text +=
          fmt::format(R"({}{{"run":"{}","w":{},"r":{},"i":{},"n":{},"h":"{:016x}","pad":"{}"}})",
                      i == 0 ? "" : ",", run, writer, request, i, count, hash, filling);
    } else {
      body.text += fmt::format("#1 {} {} {} {} {} {:016x} ", run, writer, request, i, count, hash);
      body.text += filling;
      body.text += '\n';
    }
    hashes.push_back(hash);
  }
  if (json && count > 1) body.text += ']';
  body.hash = hash_of_request(hashes);
  return body;
}

std::vector<Seen> RecordDecoder::feed(std::string_view piece) {
  if (kind_ == StreamKind::json) return decode_array(run_, piece);
  rest_ += piece;
  std::vector<Seen> seen;
  std::size_t from = 0;
  for (std::size_t end = 0; (end = rest_.find('\n', from)) != std::string::npos; from = end + 1) {
    seen.push_back(decode_line(run_, std::string_view(rest_).substr(from, end - from)));
  }
  rest_.erase(0, from);
  return seen;
}

}  // namespace app::verify
