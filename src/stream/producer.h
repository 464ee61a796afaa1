#pragma once

#include <cstdint>
#include <string>

namespace stream {

/// What an idempotent producer says of one request. Ids are per stream; epochs and sequences are at
/// most 2^53 - 1; sequences count requests from 0 in each epoch.
struct ProducerClaim {
  std::string id;
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
  bool operator==(const ProducerClaim&) const = default;
};

}  // namespace stream
