#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "app/stream_client.h"

namespace app {

/// Flags that every command which talks to a node has, before its own.
std::vector<FlagSpec> with_endpoint(std::vector<FlagSpec> own);

/// Complains about what became of a stream; returns kFailed.
int complain_about(const std::string& command, const std::string& stream, const core::Error& error);

/// Writes all of it to stdout at once. False: nobody reads it any more.
bool print(std::string_view text);

}  // namespace app
