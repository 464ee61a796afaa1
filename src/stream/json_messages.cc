#include "stream/json_messages.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <bitset>
#include <cstring>

#include "core/check.h"

namespace stream {
namespace {

// Bodies of usual sizes need no new working memory; a huge one must not keep its for ever.
constexpr std::size_t kLeastCapacity = 64 << 10;
constexpr std::size_t kKeptCapacity = 4 << 20;
constexpr std::size_t kLargestBody = 0xFFFFFF00;  // Positions are 32 bits wide.

constexpr std::string_view kSpaces = " \t\r\n";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Whether `text` begins with a number and what comes after it may follow one. The scanner makes no
/// token of what is stuck to the end of a number or a word, so that is seen here.
bool begins_with_scalar_end(std::string_view text) {
  return text.empty() || std::memchr(" \t\r\n,:[]{}", text.front(), 10) != nullptr;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

bool begins_with_number(std::string_view text) {
  std::size_t at = text.front() == '-' ? 1 : 0;
  const std::size_t whole = skip_digits(text, at);
  if (whole == at || (text[at] == '0' && whole > at + 1)) return false;
  at = whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = skip_digits(text, at + 1);
    if (fraction == at + 1) return false;
    at = fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    at += 1;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) at += 1;
    const std::size_t exponent = skip_digits(text, at);
    if (exponent == at) return false;
    at = exponent;
  }
  return begins_with_scalar_end(text.substr(at));
}

bool begins_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && begins_with_scalar_end(text.substr(word.size()));
}

const char* reason_of(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR: return "it is not UTF-8";
    case simdjson::UNCLOSED_STRING: return "a string does not end";
    case simdjson::UNESCAPED_CHARS: return "a string holds an unescaped control character";
    case simdjson::EMPTY: return "it is empty";
    default: return simdjson::error_message(error);
  }
}

}  // namespace

// The scanner of simdjson finds, many bytes at a time, where the tokens of a text begin, and checks
// UTF-8 and the ends and control characters of strings. What is built on it here checks the
// grammar, token by token, and builds nothing: no tree, no numbers, no unescaped strings.
struct JsonSplitter::Scanner {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> tokens;
  std::string_view body;
  bool has_escapes = false;
  std::size_t next_token = 0;
  std::size_t at = 0;  // Where the current token begins; body.size() after the last.
  std::size_t depth = 0;
  std::bitset<kMaxDepth> is_object;
  const char* expected = nullptr;  // What the text breaks; null while it breaks nothing.

  simdjson::error_code scan(std::string_view text);
  char advance();
  bool refuse(const char* what) { return expected = what, false; }
  bool check_escapes(std::size_t end);
  bool check_string();
  bool check_scalar(char first);
  bool open(bool object);
  bool read_key();
  bool read_value(bool& complete);
  bool walk(std::vector<std::string_view>& messages);
};

simdjson::error_code JsonSplitter::Scanner::scan(std::string_view text) {
  if (text.empty()) return simdjson::EMPTY;
  if (text.size() > kLargestBody) return simdjson::CAPACITY;
  if (tokens == nullptr || tokens->capacity() < text.size()) {
    const std::size_t capacity = std::max(text.size(), kLeastCapacity);
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        capacity, 1, tokens);
    if (error != simdjson::SUCCESS) return error;
  }
  body = text;
  has_escapes = std::memchr(text.data(), '\\', text.size()) != nullptr;
  next_token = 0;
  depth = 0;
  expected = nullptr;
  return tokens->stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                        simdjson::stage1_mode::regular);
}

/// Moves to the next token and returns its first byte; 0 at the end, where no token can be.
char JsonSplitter::Scanner::advance() {
  if (next_token == tokens->n_structural_indexes) {
    at = body.size();
    return '\0';
  }
  at = tokens->structural_indexes[next_token++];
  return body[at];
}

bool JsonSplitter::Scanner::check_escapes(std::size_t end) {
  const char* const last = body.data() + end;
  const char* c = body.data() + at;
  while ((c = static_cast<const char*>(std::memchr(c, '\\', static_cast<std::size_t>(last - c)))) !=
         nullptr) {
    // The string ends before `last`, so there is a byte after each backslash in it.
    const char kind = c[1];
    if (kind == 'u') {
      if (last - c < 6 || !is_hex(c[2]) || !is_hex(c[3]) || !is_hex(c[4]) || !is_hex(c[5])) {
        return refuse("four hexadecimal digits after each \\u of this string");
      }
    } else if (std::memchr("\"\\/bfnrt", kind, 8) == nullptr) {
      return refuse("one of \"\\/bfnrtu after each backslash of this string");
    }
    c += 2;
  }
  return true;
}

/// The current token begins with a quote; the scanner has seen to its end.
bool JsonSplitter::Scanner::check_string() {
  if (!has_escapes) return true;
  const bool is_last = next_token == tokens->n_structural_indexes;
  return check_escapes(is_last ? body.size() : tokens->structural_indexes[next_token]);
}

bool JsonSplitter::Scanner::check_scalar(char first) {
  const std::string_view text = body.substr(at);
  switch (first) {
    case '"': return check_string();
    case 't': return begins_with_word(text, "true") || refuse("a value");
    case 'f': return begins_with_word(text, "false") || refuse("a value");
    case 'n': return begins_with_word(text, "null") || refuse("a value");
    default: break;
  }
  if (first != '-' && !is_digit(first)) return refuse("a value");
  return begins_with_number(text) || refuse("a number as JSON writes them");
}

bool JsonSplitter::Scanner::open(bool object) {
  if (depth == kMaxDepth) return refuse("no more arrays and objects within each other");
  is_object[depth++] = object;
  return true;
}

/// The current token must be a key; leaves the first token of its value as the current one.
bool JsonSplitter::Scanner::read_key() {
  if (body.size() == at || body[at] != '"') return refuse("a key in quotes");
  if (!check_string()) return false;
  if (advance() != ':') return refuse("a colon after the key");
  advance();
  return true;
}

/// Reads the value that the current token begins, or only into it: then `complete` is false and
/// the current token begins its first inner value.
bool JsonSplitter::Scanner::read_value(bool& complete) {
  complete = false;
  const char first = at == body.size() ? '\0' : body[at];
  if (first == '{') {
    if (!open(true)) return false;
    if (advance() != '}') return read_key();
    depth -= 1;
  } else if (first == '[') {
    if (!open(false)) return false;
    if (advance() != ']') return true;
    depth -= 1;
  } else if (!check_scalar(first)) {
    return false;
  }
  complete = true;
  return true;
}

bool JsonSplitter::Scanner::walk(std::vector<std::string_view>& messages) {
  const bool is_list = advance() == '[';
  std::size_t message = at;  // Where the message that is being read begins.
  const auto end_message = [&] {
    std::size_t end = at;
    while (kSpaces.find(body[end - 1]) != std::string_view::npos) --end;
    messages.push_back(body.substr(message, end - message));
  };
  for (;;) {
    const std::size_t depth_before = depth;
    bool complete = false;
    if (!read_value(complete)) return false;
    if (is_list && depth_before == 0) message = at;
    if (!complete) continue;

    // A value ended, and with it perhaps some of those around it.
    while (depth > 0) {
      const char mark = advance();
      const bool in_object = is_object[depth - 1];
      if (mark == ',') {
        if (is_list && depth == 1) end_message();
        advance();
        if (is_list && depth == 1) message = at;
        if (in_object && !read_key()) return false;
        break;
      }
      if (mark != (in_object ? '}' : ']')) {
        return refuse(in_object ? "a comma or }" : "a comma or ]");
      }
      if (is_list && depth == 1) end_message();
      depth -= 1;
    }
    if (depth > 0) continue;
    if (advance() != '\0' || at != body.size()) return refuse("nothing after the value");
    if (!is_list) end_message();
    return true;
  }
}

JsonSplitter::JsonSplitter() : scanner_(std::make_unique<Scanner>()) {}
JsonSplitter::JsonSplitter(JsonSplitter&&) noexcept = default;
JsonSplitter& JsonSplitter::operator=(JsonSplitter&&) noexcept = default;
JsonSplitter::~JsonSplitter() = default;

core::Result<void> JsonSplitter::split(std::string_view body,
                                       std::vector<std::string_view>& messages) {
  messages.clear();
  Scanner& scanner = *scanner_;
  std::string why;
  if (const auto error = scanner.scan(body); error != simdjson::SUCCESS) {
    why = fmt::format("the body is not JSON: {}", reason_of(error));
  } else if (!scanner.walk(messages)) {
    why = fmt::format("the body is not JSON: expected {} at byte {}", scanner.expected, scanner.at);
  }
  if (body.size() > kKeptCapacity) scanner.tokens.reset();
  if (why.empty()) return {};
  messages.clear();
  return core::fail(core::Errc::invalid, std::move(why));
}

}  // namespace stream
