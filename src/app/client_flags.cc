#include "app/client_flags.h"

#include <cstdio>

namespace app {

std::vector<FlagSpec> with_endpoint(std::vector<FlagSpec> own) {
  std::vector<FlagSpec> flags{
      {"endpoint", "URL", "http://127.0.0.1:4437", "The node to talk to"},
  };
  flags.insert(flags.end(), own.begin(), own.end());
  return flags;
}

int complain_about(const std::string& command, const std::string& stream,
                   const core::Error& error) {
  return complain(command, stream + ": " + error.context, kFailed);
}

bool print(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

}  // namespace app
