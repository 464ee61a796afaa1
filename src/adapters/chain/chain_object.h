#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/ids.h"

namespace adapters {

// One object of an object chain: docs/chain-format.md. A header, the payload, and the header again,
// so that no single damaged place hides how the chain goes on.

inline constexpr std::size_t kChainHeader = 80;
inline constexpr std::uint16_t kChainVersion = 1;

enum class ChainKind : std::uint8_t {
  record = 1,
  seal = 2,  // The end of the chain, for ever.
};

struct ChainHeader {
  ChainKind kind = ChainKind::record;
  core::Life life;
  std::uint64_t number = 0;
  std::uint64_t sequence = 0;  // Of the record; for a seal: of the record that is not there.
  std::uint64_t length = 0;    // Of the payload.
  std::uint32_t payload_crc = 0;
  std::uint32_t previous = 0;   // Checksum of the previous object's header; 0 for object 0.
  std::uint32_t skips = 0;      // The chain goes on at number + 1 + skips; see ChainWal.
  std::uint64_t confirmed = 0;  // When this was made, all of the chain below was durable.
  std::uint64_t first = 0;      // Nothing below this number is needed any more.
  bool operator==(const ChainHeader&) const = default;

  std::uint64_t next_number() const { return number + 1 + skips; }
};

/// Exactly kChainHeader bytes.
std::string encode_chain_header(const ChainHeader& header);

/// The checksum that the next object's `previous` repeats.
std::uint32_t checksum_of(const ChainHeader& header);

/// None if these bytes are not a header of this version.
std::optional<ChainHeader> decode_chain_header(std::string_view bytes);

/// A version above ours that a header claims; 0 if it claims none.
std::uint16_t newer_chain_version(std::string_view bytes);

/// A whole object as read back.
struct ChainObject {
  std::optional<ChainHeader> header;  // By either copy. None: both are damaged.
  core::Bytes payload;
  bool is_intact = false;  // The payload matches its checksum.
};
ChainObject decode_chain_object(const core::Bytes& bytes);

/// `wal/{node}/{epoch}/`, and the names below it: 16 hexadecimal digits.
std::string chain_folder(core::Life life);
std::string chain_name(core::Life life, std::uint64_t number);
std::optional<std::uint64_t> chain_number(std::string_view last_segment);

}  // namespace adapters
