#include "durable/date.h"

#include <chrono>

namespace durable {
namespace {

/// Takes things off the front of a text; after a mismatch nothing matches any more.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  int digits(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') return fail();
      value = value * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  bool skip(std::string_view any_of) {
    if (!ok_ || rest_.empty() || any_of.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(std::string_view any_of) {
    if (!skip(any_of)) fail();
  }

  bool next_is_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

 private:
  int fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

int milliseconds(Scanner& scan) {
  int value = 0;
  if (!scan.skip(".")) return value;
  int scale = 100;
  value = scan.digits(1) * scale;
  while (scan.next_is_digit()) {
    scale /= 10;
    value += scan.digits(1) * scale;
  }
  return value;
}

/// Minutes east of Greenwich.
int zone(Scanner& scan) {
  if (scan.skip("Zz")) return 0;
  const bool west = scan.skip("-");
  if (!west) scan.expect("+");
  const int hours = scan.digits(2);
  scan.expect(":");
  const int minutes = scan.digits(2);
  if (hours > 23 || minutes > 59) scan.expect("");
  return (west ? -1 : 1) * (hours * 60 + minutes);
}

}  // namespace

std::optional<core::WallMs> parse_rfc3339(std::string_view text) {
  Scanner scan(text);
  const int year = scan.digits(4);
  scan.expect("-");
  const int month = scan.digits(2);
  scan.expect("-");
  const int day = scan.digits(2);
  scan.expect("Tt ");
  const int hour = scan.digits(2);
  scan.expect(":");
  const int minute = scan.digits(2);
  scan.expect(":");
  const int second = scan.digits(2);
  const int fraction = milliseconds(scan);
  const int east = zone(scan);
  if (!scan.at_end() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  using namespace std::chrono;
  const year_month_day date{std::chrono::year(year),
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const auto time = sys_days(date).time_since_epoch() + hours(hour) + minutes(minute - east) +
                    seconds(second) + std::chrono::milliseconds(fraction);
  return duration_cast<std::chrono::milliseconds>(time).count();
}

}  // namespace durable
