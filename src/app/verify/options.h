#pragma once

#include <string>

#include "app/flags.h"

namespace app::verify {

struct VerifyOptions {
  HttpUrl endpoint;
  std::string prefix;
  std::uint32_t streams = 0;
  std::uint32_t writers = 0;
  std::uint32_t batch = 0;  // Most records in one append.
  std::size_t size = 0;     // Of each record's filling.
  core::Time duration{};
  std::uint64_t requests = 0;  // Of all writers together; 0: as many as fit in `duration`.
  std::uint64_t rate = 0;      // Appends a second of each writer; 0: as fast as it goes.
  core::Time patience{};       // How long the node may be away.
  std::string journal;         // Write one here.
  std::string check;           // Judge this one instead of writing.
  bool keep = false;
  bool json = false;
};

std::vector<FlagSpec> verify_flags();
core::Result<VerifyOptions> parse_verify_options(const Flags& flags);

}  // namespace app::verify
