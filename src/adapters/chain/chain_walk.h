#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/chain/chain_object.h"
#include "core/result.h"
#include "ports/object_store.h"

namespace adapters {

/// One life's chain as it stands in the store.
struct Chain {
  struct Link {
    std::uint64_t number = 0;
    std::uint64_t sequence = 0;
    std::uint64_t length = 0;  // Of the payload.
  };
  std::vector<Link> links;  // Records, in order.
  bool is_there = false;    // There is any object of it.
  bool is_sealed = false;
  bool is_removed = false;            // Marked as no longer needed.
  std::optional<std::uint64_t> seal;  // Its number, where it is known.
  // What comes next, if it is not sealed.
  std::uint64_t next_number = 0;
  std::uint64_t next_sequence = 0;
  std::uint32_t previous = 0;
  std::uint64_t first = 0;
};

/// Reads the headers of a chain and follows it to its end. Each object says where the next one
/// stands, so what lies elsewhere (void numbers, late arrivals below the first needed one) is not
/// looked at.
///
/// corrupt: an object inside the chain is missing, or its header is damaged in both places, or it
/// does not belong to the one before it; the error names it. invalid: a newer build wrote it.
class ChainWalk : public std::enable_shared_from_this<ChainWalk> {
 public:
  ChainWalk(ports::ObjectStore& store, core::Life life) : store_(store), life_(life) {}

  static ports::Task<core::Result<Chain>> run(ports::ObjectStore& store, core::Life life);

  /// May be repeated; reads only what is new. Call it through a shared_ptr: reads under way share
  /// the walk, and go on when it is cancelled.
  ports::Task<core::Result<Chain>> follow();

  /// Of the objects that were there when it was last followed; 0 if there were none.
  std::uint64_t newest() const { return sizes_.empty() ? 0 : sizes_.rbegin()->first; }

 private:
  using Header = core::Result<ChainHeader>;

  ports::Task<core::Result<void>> list(Chain& chain);
  ports::Task<core::Result<void>> look_at_newest(Chain& chain);
  ports::Task<Header> header_of(std::uint64_t number);
  ports::Task<Header> read_header(std::uint64_t number);
  ports::Task<core::Result<core::Bytes>> read_part(std::string name, std::uint64_t position);
  ports::Task<void> read_ahead(std::uint64_t from);
  core::Result<void> check_missing(const Chain& chain) const;
  core::Result<void> add(Chain& chain, const ChainHeader& header, bool is_first) const;

  ports::ObjectStore& store_;
  const core::Life life_;
  std::map<std::uint64_t, std::uint64_t> sizes_;  // By number.
  std::uint64_t confirmed_ = 0;                   // As the newest objects say.
  std::map<std::uint64_t, Header> headers_;       // Read ahead.
};

}  // namespace adapters
