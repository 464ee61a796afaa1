#pragma once

#include <functional>

#include "ports/task.h"

namespace app {

/// Runs a client's coroutine on a loop of its own until it returns; gives back what it returned.
int run_client(const std::function<ports::Task<int>(ports::asio::any_io_executor)>& body);

/// Waits.
ports::Task<void> pause_for(std::chrono::microseconds time);

}  // namespace app
