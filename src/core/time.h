#pragma once

#include <chrono>
#include <cstdint>

namespace core {

/// Time since some fixed moment of this process. Only differences mean anything.
using Time = std::chrono::microseconds;

/// Milliseconds since 1970-01-01T00:00:00Z, as somebody's clock said. Data that people and
/// protocols asked for (timestamps, expiry); never decides who owns what or how a thing is named.
using WallMs = std::int64_t;

}  // namespace core
