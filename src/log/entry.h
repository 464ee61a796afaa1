#pragma once

#include <string>
#include <string_view>

#include "core/codec.h"
#include "log/sealed.h"

namespace cmdlog {

// What the log stores of one command, docs/log-format.md. The same for every service: each has its
// own variant of commands.

inline constexpr std::uint8_t kEntryVersion = 1;

template <class Command>
std::string encode_entry(const Command& command) {
  return seal(kEntryVersion, core::encoded(command));
}

/// corrupt: the bytes are damaged, or only a newer version understands them.
template <class Command>
core::Result<Command> decode_entry(std::string_view bytes) {
  TRY(const std::string_view body, unseal(kEntryVersion, bytes));
  return core::decoded<Command>(body);
}

}  // namespace cmdlog
