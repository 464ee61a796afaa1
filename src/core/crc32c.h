#pragma once

#include <cstdint>
#include <string_view>

namespace core {

/// CRC-32C (Castagnoli) as iSCSI, Kafka and RFC 3720 define it: "123456789" gives 0xE3069283.
/// About ten gigabytes a second, so that everything stored can be checked.
std::uint32_t crc32c(std::string_view bytes);

/// The checksum of what `crc` was the checksum of, followed by `bytes`. Start from 0.
std::uint32_t extend_crc32c(std::uint32_t crc, std::string_view bytes);

}  // namespace core
