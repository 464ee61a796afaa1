#include <csignal>

#include "app/command_line.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // A closed connection or pipe is an error of that write.
  return app::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
