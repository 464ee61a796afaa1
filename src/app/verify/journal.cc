#include "app/verify/journal.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/crc32c.h"

namespace app::verify {
namespace {

using core::Errc;
using core::fail;

constexpr std::string_view kMagic = "clouduler-verify";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kChecksumDigits = 8;

std::string checked(const std::string& body) {
  return fmt::format("{:08x} {}\n", core::crc32c(body), body);
}

/// The words of one line, taken from the front.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  std::string_view word() {
    const auto space = rest_.find(' ');
    const auto found = rest_.substr(0, space);
    rest_ = space == std::string_view::npos ? std::string_view{} : rest_.substr(space + 1);
    if (found.empty()) bad_ = true;
    return found;
  }

  template <class T>
  T number(int base = 10) {
    const auto text = word();
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) bad_ = true;
    return value;
  }

  std::string_view all() { return std::exchange(rest_, {}); }
  bool good() const { return !bad_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool bad_ = false;
};

std::optional<Outcome> outcome_of(std::string_view word) {
  if (word == "ack") return Outcome::acknowledged;
  if (word == "again") return Outcome::repeated;
  if (word == "maybe") return Outcome::maybe;
  if (word == "refused") return Outcome::refused;
  return std::nullopt;
}

const char* word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::acknowledged: return "ack";
    case Outcome::repeated: return "again";
    case Outcome::refused: return "refused";
    case Outcome::pending:
    case Outcome::maybe: return "maybe";
  }
  return "maybe";
}

/// False: the line makes no sense.
bool apply_stream(Ledger& ledger, Words& words) {
  const auto number = words.number<std::size_t>();
  const auto kind_word = words.word();
  const std::string name(words.all());
  for (const StreamKind kind : kKinds) {
    if (kind_word != name_of(kind) || number != ledger.streams().size() || name.empty()) continue;
    ledger.add_stream({kind, name});
    return words.good();
  }
  return false;
}

bool apply_send(Ledger& ledger, Words& words) {
  const auto writer = words.number<std::uint32_t>();
  const auto request = words.number<std::uint32_t>();
  const auto stream = words.number<std::uint32_t>();
  const auto count = words.number<std::uint32_t>();
  const auto hash = words.number<std::uint64_t>(16);
  constexpr std::uint32_t kMostWriters = 1'000'000;
  if (!words.good() || stream >= ledger.streams().size() || writer > kMostWriters) return false;
  return ledger.send(writer, stream, count, hash) == request;
}

bool apply_answer(Ledger& ledger, Words& words, Outcome outcome) {
  const auto writer = words.number<std::uint32_t>();
  const auto request = words.number<std::uint32_t>();
  std::string offset(words.word());
  if (!words.good()) return false;
  const SentRequest* sent = ledger.find(writer, request);
  if (sent == nullptr || sent->outcome != Outcome::pending) return false;
  if (offset == "-") offset.clear();
  ledger.answer(writer, request, outcome, std::move(offset));
  return true;
}

bool apply(Ledger& ledger, std::string_view body) {
  Words words(body);
  const auto kind = words.word();
  if (kind == "stream") return apply_stream(ledger, words);
  if (kind == "send") return apply_send(ledger, words);
  if (kind == "end") return words.good();
  const auto outcome = outcome_of(kind);
  return outcome && apply_answer(ledger, words, *outcome);
}

/// The text behind a line's checksum, if that fits.
std::optional<std::string_view> body_of(std::string_view line) {
  if (line.size() < kChecksumDigits + 2 || line[kChecksumDigits] != ' ') return std::nullopt;
  const auto body = line.substr(kChecksumDigits + 1);
  if (line.substr(0, kChecksumDigits) != fmt::format("{:08x}", core::crc32c(body))) {
    return std::nullopt;
  }
  return body;
}

core::Result<Ledger> read_header(std::optional<std::string_view> body) {
  if (!body) return fail(Errc::invalid, "line 1: this is no journal of clouduler verify");
  Words words(*body);
  const bool ours = words.word() == kMagic;
  const auto version = words.number<std::uint32_t>();
  if (!ours) return fail(Errc::invalid, "line 1: this is no journal of clouduler verify");
  if (version > kVersion) {
    return fail(Errc::invalid, fmt::format("line 1: a journal of version {}; this program reads up "
                                           "to version {}",
                                           version, kVersion));
  }
  std::string run(words.word());
  if (!words.good()) return fail(Errc::corrupt, "line 1: not a header");
  return Ledger(std::move(run));
}

}  // namespace

std::string header_line(const std::string& run) {
  return checked(fmt::format("{} {} {}", kMagic, kVersion, run));
}

std::string stream_line(std::size_t number, const StreamFact& stream) {
  return checked(fmt::format("stream {} {} {}", number, name_of(stream.kind), stream.name));
}

std::string send_line(std::uint32_t writer, std::uint32_t request, const SentRequest& sent) {
  return checked(
      fmt::format("send {} {} {} {} {:016x}", writer, request, sent.stream, sent.count, sent.hash));
}

std::string answer_line(std::uint32_t writer, std::uint32_t request, Outcome outcome,
                        const std::string& offset) {
  return checked(
      fmt::format("{} {} {} {}", word_of(outcome), writer, request, offset.empty() ? "-" : offset));
}

std::string end_line() {
  return checked("end");
}

core::Result<Ledger> read_journal(std::string_view text) {
  std::size_t number = 0;
  core::Result<Ledger> ledger = fail(Errc::invalid, "line 1: the journal is empty");
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) break;
    const auto body = body_of(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (++number == 1) {
      ledger = read_header(body);
      if (!ledger) return ledger;
    } else if (!body) {
      return fail(Errc::corrupt, fmt::format("line {}: its checksum does not match", number));
    } else if (!apply(*ledger, *body)) {
      return fail(Errc::corrupt, fmt::format("line {}: makes no sense: {}", number, *body));
    }
  }
  return ledger;
}

}  // namespace app::verify
