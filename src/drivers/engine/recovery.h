#pragma once

#include <vector>

#include "drivers/engine/context.h"

namespace drivers {

/// Takes over the write-ahead logs that earlier lives of this node left behind, and finds out which
/// records are nowhere else and where they lie. Their bytes are read back when somebody wants them,
/// so a start takes the time of reading the log and no memory for it. Changes nothing in the
/// command log.
///
/// A damaged record costs the streams that have entries in it, from that entry on; they keep what
/// came before and answer with the damage. The records stay on disk.
class Recovery {
 public:
  explicit Recovery(EngineContext& context) : context_(context) {}

  /// The lives whose logs were taken over, oldest first. corrupt: a log cannot be told apart from
  /// one that lost records of any stream; the line says what is wrong and what an operator can do.
  ports::Task<core::Result<std::vector<core::Life>>> run();

 private:
  ports::Task<core::Result<void>> replay(core::Life life);
  core::Result<void> take_in(core::Life life, const ports::WalRecord& record);
  void take_in(core::Life life, const ports::WalRecord& record, const stream::ParsedWalEntry& one);
  void damage(ActiveStream& stream, const std::string& reason);

  EngineContext& context_;
};

}  // namespace drivers
