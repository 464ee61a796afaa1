#pragma once

#include <map>
#include <memory>
#include <vector>

#include "adapters/chain/chain_wal.h"
#include "core/random.h"
#include "ports/object_store.h"
#include "ports/timers.h"
#include "ports/wal.h"

namespace adapters {

struct Chain;

/// Write-ahead logs as chains of objects below `wal/{node}/{epoch}/` of any object store, so that
/// one node can take over the log of another. docs/chain-format.md has the format. The store, the
/// timers and this must outlive the logs.
class ChainStore final : public ports::WalStore {
 public:
  ChainStore(ports::ObjectStore& store, ports::Timers& timers, core::Random random,
             ChainOptions options = {});
  ~ChainStore() override;

  /// Tries out what chains rest on: of two creations of a name the second must be refused, and a
  /// list must show what was just written. invalid: the store does not do so, and what it did.
  ports::Task<core::Result<void>> probe();

  ports::Task<core::Result<std::unique_ptr<ports::Wal>>> create(core::Life life) override;
  ports::Task<core::Result<std::vector<core::Life>>> lives(core::NodeId node) override;

  /// Puts a seal where the writer's next object would have to go. If the writer lives and is
  /// faster, one further on stops it: it must come by there, or fail before. corrupt: see
  /// ChainWalk.
  ports::Task<core::Result<void>> take_over(core::Life ended) override;
  ports::Task<core::Result<std::vector<ports::WalRecord>>> replay(core::Life ended,
                                                                  std::uint64_t from,
                                                                  std::size_t max_bytes) override;
  ports::Task<core::Result<std::vector<core::Bytes>>> read(
      core::Life life, std::vector<ports::WalLocation> locations) override;

  /// The seal stays for ever: it outlives a writer that sleeps.
  ports::Task<core::Result<void>> remove(core::Life ended) override;

 private:
  using ChainPtr = std::shared_ptr<const Chain>;

  ports::Task<core::Result<void>> check_exclusive(std::string name);
  ports::Task<core::Result<ChainPtr>> sealed_chain(core::Life ended);
  ports::Task<core::Result<void>> put_seal(core::Life ended, const Chain& chain,
                                           std::uint64_t number);
  ports::Task<core::Result<void>> put_until_clear(std::string name, std::string content);

  ports::ObjectStore& store_;
  ports::Timers& timers_;
  core::Random random_;
  const ChainOptions options_;
  std::map<core::Life, ChainPtr> sealed_;
};

}  // namespace adapters
