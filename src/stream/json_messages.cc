#include "stream/json_messages.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace stream {
namespace {

// Bodies of usual sizes need no new working memory; a huge one must not keep its for ever.
constexpr std::size_t kLeastCapacity = 64 << 10;
constexpr std::size_t kKeptCapacity = 4 << 20;
constexpr std::size_t kLargestBody = 0xFFFFFF00;  // Positions are 32 bits wide.

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

constexpr std::array<bool, 256> kEndsScalar = [] {
  std::array<bool, 256> ends{};
  for (const char c : std::string_view(" \t\r\n,:[]{}")) ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();

/// Whether a number or a word may end at `at`. The scanner makes no token of what is stuck to the
/// end of one, so that has to be seen here.
bool ends_scalar(const char* at, const char* end) {
  return at == end || kEndsScalar[static_cast<unsigned char>(*at)];
}

const char* skip_digits(const char* at, const char* end) {
  while (at != end && is_digit(*at)) ++at;
  return at;
}

bool is_number(const char* at, const char* end) {
  if (*at == '-') ++at;
  const char* digits = at;
  at = skip_digits(at, end);
  if (at == digits || (*digits == '0' && at != digits + 1)) return false;
  if (at != end && *at == '.') {
    digits = at + 1;
    at = skip_digits(digits, end);
    if (at == digits) return false;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    digits = at;
    at = skip_digits(at, end);
    if (at == digits) return false;
  }
  return ends_scalar(at, end);
}

template <std::size_t kSize>
bool is_word(const char* at, const char* end, const char (&word)[kSize]) {
  constexpr std::size_t kLength = kSize - 1;  // Without the zero.
  return static_cast<std::size_t>(end - at) >= kLength && std::memcmp(at, word, kLength) == 0 &&
         ends_scalar(at + kLength, end);
}

/// The token scanner of simdjson finds, many bytes at a time, where the tokens of a text begin, and
/// checks UTF-8 and the ends and control characters of strings. What is left is done here: the
/// grammar, token by token. Nothing is built: no tree, no numbers, no unescaped strings.
class Walker {
 public:
  Walker(std::string_view body, const std::uint32_t* tokens, std::size_t count)
      : text_(body.data()),
        end_(body.data() + body.size()),
        at_(body.data()),
        next_(tokens),
        last_(tokens + count),
        has_escapes_(std::memchr(body.data(), '\\', body.size()) != nullptr) {}

  /// Fills in the messages; false if the text is not JSON.
  bool walk(std::vector<std::string_view>& messages);

  const char* expected() const { return expected_; }  // What the text does not have...
  std::size_t position() const { return static_cast<std::size_t>(at_ - text_); }  // ...and where.

 private:
  char current() const { return at_ == end_ ? '\0' : *at_; }
  bool refuse(const char* what) { return expected_ = what, false; }
  bool check_escapes();

  // Inlined, so that the state of a walk stays in registers: twice as fast.
  [[gnu::always_inline]] char advance();
  [[gnu::always_inline]] bool check_string() { return !has_escapes_ || check_escapes(); }
  [[gnu::always_inline]] bool check_scalar(char first);
  [[gnu::always_inline]] bool read_key();

  const char* text_;
  const char* end_;
  const char* at_;             // Where the current token begins; end_ after the last.
  const std::uint32_t* next_;  // Positions of the tokens after it.
  const std::uint32_t* last_;
  bool has_escapes_;
  const char* expected_ = nullptr;
};

/// Moves to the next token and returns its first byte; 0 at the end, where no token can be.
inline char Walker::advance() {
  if (next_ == last_) {
    at_ = end_;
    return '\0';
  }
  at_ = text_ + *next_++;
  return *at_;
}

/// The current token is a string, and ends before the next one begins.
bool Walker::check_escapes() {
  const char* const limit = next_ == last_ ? end_ : text_ + *next_;
  const char* c = at_;
  while ((c = static_cast<const char*>(
              std::memchr(c, '\\', static_cast<std::size_t>(limit - c)))) != nullptr) {
    // Its closing quote is before `limit`, so there is a byte after each backslash in it.
    const char kind = c[1];
    if (kind == 'u') {
      if (limit - c < 6 || !is_hex(c[2]) || !is_hex(c[3]) || !is_hex(c[4]) || !is_hex(c[5])) {
        return refuse("four hexadecimal digits after each \\u in the string");
      }
    } else if (std::memchr("\"\\/bfnrt", kind, 8) == nullptr) {
      return refuse("one of \"\\/bfnrtu after each backslash in the string");
    }
    c += 2;
  }
  return true;
}

inline bool Walker::check_scalar(char first) {
  if (first == '"') return check_string();
  if (first == '-' || is_digit(first)) {
    return is_number(at_, end_) || refuse("a number as JSON writes them");
  }
  const bool is_known_word = (first == 't' && is_word(at_, end_, "true")) ||
                             (first == 'f' && is_word(at_, end_, "false")) ||
                             (first == 'n' && is_word(at_, end_, "null"));
  return is_known_word || refuse("a value");
}

/// The current token must be a key; leaves the first token of its value as the current one.
inline bool Walker::read_key() {
  if (current() != '"') return refuse("a key in quotes");
  if (!check_string()) return false;
  if (advance() != ':') return refuse("a colon after the key");
  advance();
  return true;
}

bool Walker::walk(std::vector<std::string_view>& messages) {
  std::array<bool, JsonSplitter::kMaxDepth> is_object;  // Of the arrays and objects around us.
  std::size_t depth = 0;
  const bool is_list = advance() == '[';
  const char* message = at_;  // Where the message that is being read begins.
  const auto end_message = [&] {
    const char* after = at_;
    while (is_space(after[-1])) --after;
    messages.emplace_back(message, static_cast<std::size_t>(after - message));
  };
  for (;;) {
    if (is_list && depth == 1) message = at_;
    const char first = current();
    if (first == '{' || first == '[') {
      const bool object = first == '{';
      if (depth == is_object.size()) return refuse("no more arrays and objects within each other");
      if (advance() != (object ? '}' : ']')) {
        is_object[depth++] = object;
        if (object && !read_key()) return false;
        continue;
      }
    } else if (!check_scalar(first)) {
      return false;
    }

    // A value ended, and with it perhaps some of those around it.
    for (;;) {
      const char mark = advance();
      if (depth == 0) {
        if (at_ != end_) return refuse("nothing after the value");
        if (!is_list) end_message();
        return true;
      }
      const bool in_object = is_object[depth - 1];
      const bool goes_on = mark == ',';
      if (!goes_on && mark != (in_object ? '}' : ']')) {
        return refuse(in_object ? "a comma or }" : "a comma or ]");
      }
      if (is_list && depth == 1) end_message();
      if (goes_on) {
        advance();
        if (in_object && !read_key()) return false;
        break;
      }
      depth -= 1;
    }
  }
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

struct JsonSplitter::Scanner {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> tokens;

  simdjson::error_code scan(std::string_view text);
};

/// Fills in where the tokens of `text` begin.
simdjson::error_code JsonSplitter::Scanner::scan(std::string_view text) {
  if (text.empty()) return simdjson::EMPTY;
  if (text.size() > kLargestBody) return simdjson::CAPACITY;
  if (tokens == nullptr || tokens->capacity() < text.size()) {
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        std::max(text.size(), kLeastCapacity), 1, tokens);
    if (error != simdjson::SUCCESS) return error;
  }
  return tokens->stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                        simdjson::stage1_mode::regular);
}

JsonSplitter::JsonSplitter() : scanner_(std::make_unique<Scanner>()) {}
JsonSplitter::JsonSplitter(JsonSplitter&&) noexcept = default;
JsonSplitter& JsonSplitter::operator=(JsonSplitter&&) noexcept = default;
JsonSplitter::~JsonSplitter() = default;

core::Result<void> JsonSplitter::split(std::string_view body,
                                       std::vector<std::string_view>& messages) {
  messages.clear();
  std::string why;
  if (const auto error = scanner_->scan(body); error != simdjson::SUCCESS) {
    why = fmt::format("the body is not JSON: {}", reason_of(error));
  } else {
    const auto& tokens = *scanner_->tokens;
    Walker walker(body, tokens.structural_indexes.get(), tokens.n_structural_indexes);
    if (!walker.walk(messages)) {
      why = fmt::format("the body is not JSON: expected {} at byte {}", walker.expected(),
                        walker.position());
    }
  }
  if (body.size() > kKeptCapacity) scanner_->tokens.reset();
  if (why.empty()) return {};
  messages.clear();
  return core::fail(core::Errc::invalid, std::move(why));
}

}  // namespace stream
