#pragma once

#include "app/command.h"

namespace app {

// `clouduler stream ...`, one function for each; stream_commands() lists them.
CommandSpec stream_create_command();
CommandSpec stream_append_command();
CommandSpec stream_read_command();
CommandSpec stream_tail_command();
CommandSpec stream_head_command();
CommandSpec stream_ls_command();
CommandSpec stream_close_command();
CommandSpec stream_delete_command();
CommandSpec stream_trim_command();

}  // namespace app
