#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace cmdlog {

/// `body` behind a head of five bytes: the version of its format, and the CRC-32C of that byte and
/// the body, lowest byte first. Log entries and snapshots are stored so.
std::string seal(std::uint8_t version, std::string_view body);

/// The body that `bytes` seals, in place. corrupt: the line says whether it is damaged, of another
/// format, or written by a version newer than `newest`.
core::Result<std::string_view> unseal(std::uint8_t newest, std::string_view bytes);

}  // namespace cmdlog
