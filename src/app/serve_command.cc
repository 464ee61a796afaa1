#include "app/command.h"
#include "app/serve.h"

namespace app {
namespace {

int run_serve(const Invocation& invocation) {
  const auto options = parse_serve_options(invocation.flags);
  if (!options) return complain("serve", options.error());
  return serve(*options);
}

}  // namespace

CommandSpec serve_command() {
  return CommandSpec{
      .path = "serve",
      .summary = "Run a stream node",
      .arguments = {},
      .flags = serve_flags(),
      .examples =
          "  clouduler serve\n"
          "      a complete node; everything it keeps is below ./data\n"
          "  clouduler serve --data-dir /var/lib/clouduler --listen 127.0.0.1:8080\n"
          "  clouduler serve --wal chain+file:///mnt/shared/wal\n"
          "      the write-ahead log as numbered objects that another life can take over\n"
          "  CLOUDULER_LISTEN=127.0.0.1:8080 clouduler serve\n"
          "      every flag has its variable; a flag wins over it\n"
          "SIGTERM or Ctrl-C stops it cleanly: the next start has nothing to replay.\n",
      .run = run_serve};
}

}  // namespace app
