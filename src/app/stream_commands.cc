#include "app/stream_commands.h"

namespace app {

std::vector<CommandSpec> stream_commands() {
  return {stream_create_command(), stream_append_command(), stream_read_command(),
          stream_tail_command(),   stream_head_command(),   stream_ls_command(),
          stream_close_command(),  stream_delete_command(), stream_trim_command()};
}

}  // namespace app
