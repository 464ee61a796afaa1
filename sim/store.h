#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ports/object_store.h"
#include "sim/world.h"

namespace sim {

/// What goes wrong with a simulated store, in percent of requests unless said otherwise.
struct StoreFaults {
  std::uint64_t unavailable = 0;    // Refused; nothing happens.
  std::uint64_t lost_requests = 0;  // Answered `unknown`; did not happen.
  std::uint64_t lost_answers = 0;   // Answered `unknown`; happened.
  std::uint64_t late_requests = 0;  // Answered `unknown`; happens up to `late_by` afterwards.
  std::uint64_t duplicated = 0;     // Happens again up to `late_by` afterwards.
  core::Time late_by = std::chrono::seconds(5);
  core::Time least_latency = std::chrono::microseconds(200);
  core::Time most_latency = std::chrono::milliseconds(2);
  core::Time list_lag{0};          // New objects show up in lists after this.
  bool is_full = false;            // Nothing new fits.
  bool is_read_only = false;       // Writes are unavailable.
  bool is_down = false;            // All is unavailable.
  bool ignores_if_absent = false;  // Lies: put_if_absent overwrites.
};

struct StoreCounters {
  std::uint64_t puts = 0;  // That created an object.
  std::uint64_t conflicts = 0;
  std::uint64_t reads = 0;
  std::uint64_t lists = 0;
  std::uint64_t removes = 0;
  std::uint64_t bytes_put = 0;
  std::uint64_t bytes_read = 0;
};

/// An object store in memory that all nodes of a world share. A request, once sent, arrives even if
/// its sender dies meanwhile.
class SimStore final : public ports::ObjectStore {
 public:
  explicit SimStore(SimWorld& world) : world_(world) {}

  StoreFaults& faults() { return faults_; }
  const StoreCounters& counters() const { return counters_; }

  ports::Task<core::Result<void>> put_if_absent(std::string name,
                                                std::vector<core::Bytes> parts) override;
  ports::Task<core::Result<core::Bytes>> get_range(std::string name, std::uint64_t position,
                                                   std::uint64_t length) override;
  ports::Task<core::Result<ports::ObjectInfo>> head(std::string name) override;
  ports::Task<core::Result<std::vector<ports::ObjectInfo>>> list(std::string prefix) override;
  ports::Task<core::Result<void>> remove(std::string name) override;

  // For checkers and for damage; nothing of this takes time.
  std::vector<std::string> names() const;
  std::optional<core::Bytes> find(const std::string& name) const;
  void erase(const std::string& name) { objects_.erase(name); }
  /// Flips one bit of the byte at `position` of an object that is there.
  void flip(const std::string& name, std::uint64_t position);

 private:
  struct Object {
    core::Bytes content;
    core::Time created{0};
  };
  /// What becomes of a write is drawn when it is sent.
  enum class Fate { done, refused, lost_request, lost_answer, late };
  using Write = std::function<core::Result<void>()>;

  Fate draw_fate();
  core::Time draw_latency();
  ports::Task<core::Result<void>> send(Write write);
  core::Result<void> put_now(const std::string& name, const core::Bytes& content);
  core::Result<void> check_readable(const std::string& name);

  SimWorld& world_;
  StoreFaults faults_;
  StoreCounters counters_;
  std::map<std::string, Object> objects_;
};

}  // namespace sim
