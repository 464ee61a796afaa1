#include "durable/cursor.h"

#include <charconv>

namespace durable {
namespace {

constexpr core::WallMs kEpoch = 1728432000000;  // 2024-10-09T00:00:00Z, laid down by the protocol.
constexpr core::WallMs kIntervalMs = 20'000;
constexpr std::uint64_t kMostJitterSeconds = 3600;
constexpr std::uint64_t kIntervalSeconds = 20;

}  // namespace

std::uint64_t cursor_interval(core::WallMs now) {
  return now < kEpoch ? 0 : static_cast<std::uint64_t>((now - kEpoch) / kIntervalMs);
}

std::uint64_t next_cursor(const std::optional<std::string>& sent, core::WallMs now,
                          core::Random& random) {
  const std::uint64_t present = cursor_interval(now);
  if (!sent) return present;
  std::uint64_t theirs = 0;
  const auto [end, error] = std::from_chars(sent->data(), sent->data() + sent->size(), theirs);
  const bool is_number = error == std::errc{} && end == sent->data() + sent->size();
  constexpr std::uint64_t kSafe = std::uint64_t{1} << 53;  // What JavaScript counts exactly.
  if (!is_number || theirs < present || theirs > kSafe) return present;
  const std::uint64_t jitter = 1 + random.below(kMostJitterSeconds);
  return theirs + (jitter + kIntervalSeconds - 1) / kIntervalSeconds;
}

}  // namespace durable
