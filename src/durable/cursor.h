#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/random.h"
#include "core/time.h"

namespace durable {

/// The number of the 20-second interval that `now` lies in. Live answers carry it, clients send it
/// back, and so the URLs of waiting requests change and no cache answers one for ever.
std::uint64_t cursor_interval(core::WallMs now);

/// What to answer a client that sent `sent`: the present interval; or, if the client is there
/// already or further, up to an hour beyond what it sent.
std::uint64_t next_cursor(const std::optional<std::string>& sent, core::WallMs now,
                          core::Random& random);

}  // namespace durable
