#pragma once

#include <memory>

#include "ports/wal.h"

namespace adapters {

class WalThread;
class WorkerPool;

/// The log of the running life, see FileWalStore. Destroying it finishes the append under way.
class FileWal final : public ports::Wal {
 public:
  FileWal(std::shared_ptr<WalThread> thread, std::shared_ptr<WorkerPool> pool);
  ~FileWal() override;

  /// One: what comes meanwhile makes a larger next record, under one sync.
  std::size_t max_in_flight() const override { return 1; }
  ports::Task<core::Result<ports::WalRecord>> append(std::vector<core::Bytes> parts) override;
  ports::Task<core::Result<void>> trim(std::uint64_t first_needed) override;

 private:
  std::shared_ptr<WalThread> thread_;
  std::shared_ptr<WorkerPool> pool_;
};

}  // namespace adapters
