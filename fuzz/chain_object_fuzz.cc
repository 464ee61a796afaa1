// Objects of a chain. The input is taken as an object; and as bytes that overwrite a sound one,
// whose payload then comes back as it was or is said not to be intact.

#include <algorithm>
#include <cstdint>
#include <string>

#include "adapters/chain/chain_object.h"
#include "core/check.h"
#include "core/crc32c.h"

namespace {

void check_any(const std::string& bytes) {
  const auto object = adapters::decode_chain_object(core::Bytes(bytes));
  (void)adapters::newer_chain_version(bytes);
  CHECK(object.payload.size() <= bytes.size());
  if (!object.header) {
    CHECK(!object.is_intact);
    return;
  }
  // What was read is what would be written.
  const std::string encoded = adapters::encode_chain_header(*object.header);
  CHECK(adapters::decode_chain_header(encoded) == object.header);
  CHECK(!object.is_intact || object.header->length == object.payload.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_any(std::string(data, data + size));

  const std::string payload = "what was acknowledged must come back as it was";
  adapters::ChainHeader header;
  header.life = {core::NodeId{1}, core::Epoch{2}};
  header.number = 3;
  header.sequence = 3;
  header.length = payload.size();
  header.payload_crc = core::crc32c(payload);
  const std::string encoded = adapters::encode_chain_header(header);
  std::string bytes = encoded + payload + encoded;
  for (std::size_t i = 0; i + 2 <= size; i += 2) {
    bytes[data[i] % bytes.size()] = static_cast<char>(data[i + 1]);
  }
  const auto object = adapters::decode_chain_object(core::Bytes(bytes));
  CHECK(!object.is_intact || object.payload.view() == payload);
  CHECK(!object.header || *object.header == header);
  return 0;
}
