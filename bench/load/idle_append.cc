// One append on an idle server against one fdatasync of the same disk, in turn.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "bench/load/flags.h"
#include "bench/load/http.h"

namespace load {
namespace {

using Clock = std::chrono::steady_clock;

std::string quartiles(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  return fmt::format("{{\"p25\":{:.1f},\"p50\":{:.1f},\"p75\":{:.1f},\"p99\":{:.1f}}}", at(0.25),
                     at(0.5), at(0.75), at(0.99));
}

double microseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

}  // namespace

void run_idle_append(const Flags& flags) {
  const auto path = flags.text("path");
  const auto gap = std::chrono::milliseconds(flags.number("gap-ms", 3));
  const std::string type = "Content-Type: application/octet-stream\r\n";
  const int file =
      ::open(flags.text("probe-file").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  if (file < 0) fail("opening the probe file");
  Client client(flags.port());
  client.call(request_text("PUT", path, type, ""));
  const auto text = request_text("POST", path, type, std::string(100, 'r'));
  const auto page = std::string(4096, 'p');
  std::vector<double> appends, syncs;
  for (std::uint64_t i = 0; i < flags.number("rounds"); ++i) {
    std::this_thread::sleep_for(gap);
    const auto sync_from = Clock::now();
    if (::write(file, page.data(), page.size()) != 4096) fail("writing the probe file");
    if (::fdatasync(file) != 0) fail("fdatasync of the probe file");
    syncs.push_back(microseconds(sync_from));
    std::this_thread::sleep_for(gap);
    const auto append_from = Clock::now();
    const auto answer = client.call(text);
    appends.push_back(microseconds(append_from));
    errno = 0;
    if (answer.status / 100 != 2) fail(fmt::format("an append was answered {}", answer.status));
  }
  ::close(file);
  fmt::print("{{\"append_us\":{},\"fdatasync_us\":{}}}\n", quartiles(appends), quartiles(syncs));
}

}  // namespace load
