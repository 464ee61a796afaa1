#include "adapters/files/file_wal.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "adapters/files/wal_thread.h"
#include "adapters/files/worker_pool.h"

namespace adapters {

namespace asio = ports::asio;
using Appended = core::Result<ports::WalRecord>;

FileWal::FileWal(std::shared_ptr<WalThread> thread, std::shared_ptr<WorkerPool> pool)
    : thread_(std::move(thread)), pool_(std::move(pool)) {}

FileWal::~FileWal() = default;

ports::Task<Appended> FileWal::append(std::vector<core::Bytes> parts) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(Appended)>(
      [this](auto handler, std::vector<core::Bytes> taken) {
        auto waiter = Waiter<Appended>::make(std::move(handler));
        thread_->append(std::move(taken), [waiter = std::move(waiter)](Appended result) mutable {
          Waiter<Appended>::answer(std::move(waiter), std::move(result));
        });
      },
      asio::use_awaitable, std::move(parts));
}

ports::Task<core::Result<void>> FileWal::trim(std::uint64_t first_needed) {
  auto work = [thread = thread_, first_needed]() -> core::Result<void> {
    const auto numbers = thread->take_trimmed(first_needed);
    for (const std::uint64_t number : numbers) {
      const std::string path = thread->directory() + "/" + segment_name(number);
      if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
        return tl::unexpected<core::Error>(disk_error("cannot remove", path, errno));
      }
    }
    if (!numbers.empty()) sync_directory_or_die(thread->directory());
    return {};
  };
  co_return co_await pool_->run(std::move(work));
}

}  // namespace adapters
