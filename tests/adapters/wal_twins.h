#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adapters/chain/chain_object.h"
#include "adapters/chain/chain_store.h"
#include "adapters/clock/asio_timers.h"
#include "adapters/files/file_store.h"
#include "adapters/files/file_wal_store.h"
#include "ports/wal.h"
#include "sim/store.h"
#include "sim/timers.h"
#include "sim/wal.h"
#include "tests/support/place.h"
#include "tests/support/scratch.h"

namespace tests {

/// A backend of write-ahead logs, and where its callers run.
struct WalTwin {
  virtual ~WalTwin() = default;
  virtual Place& place() = 0;
  virtual ports::WalStore& store() = 0;
  /// As if the process had been started again.
  virtual void reopen() = 0;
  /// Changes one byte of the payload of a record of a log that nobody has replayed yet.
  virtual void damage(core::Life life, const ports::WalRecord& record) = 0;
};

struct SimWalTwin final : WalTwin {
  Place& place() override { return here; }
  ports::WalStore& store() override { return logs; }
  void reopen() override {}
  void damage(core::Life life, const ports::WalRecord& record) override {
    logs.flip(life, record.sequence, 0);
  }
  SimPlace here;
  sim::SimWalStore logs{here.world()};
};

struct FileWalTwin final : WalTwin {
  explicit FileWalTwin(std::uint64_t bytes = 64 << 10) : segment_bytes(bytes) { reopen(); }
  Place& place() override { return here; }
  ports::WalStore& store() override { return *logs; }
  void reopen() override {
    logs.reset();
    adapters::FileWalOptions options;
    options.segment_bytes = segment_bytes;
    options.report = [this](const std::string& line) { reports.push_back(line); };
    logs = std::move(*adapters::FileWalStore::open(root, core::Random(1), options));
  }
  void damage(core::Life life, const ports::WalRecord& record) override {
    flip_byte(segment(life, record.location.file), record.location.position);
  }
  std::string folder(core::Life life) const {
    return root + "/" + std::to_string(raw(life.node)) + "/" + std::to_string(raw(life.epoch));
  }
  std::string segment(core::Life life, std::uint64_t number) const {
    char name[32];
    std::snprintf(name, sizeof name, "/%016llx.wal", static_cast<unsigned long long>(number));
    return folder(life) + name;
  }

  std::uint64_t segment_bytes;
  Scratch scratch;
  std::string root = scratch.path("wal");
  RealPlace here;
  std::vector<std::string> reports;
  std::unique_ptr<adapters::FileWalStore> logs;
};

struct SimChainTwin final : WalTwin {
  SimChainTwin() { reopen(); }
  Place& place() override { return here; }
  ports::WalStore& store() override { return *logs; }
  void reopen() override {
    logs = std::make_unique<adapters::ChainStore>(objects, timers, core::Random(1));
  }
  void damage(core::Life life, const ports::WalRecord& record) override {
    objects.flip(adapters::chain_name(life, record.location.file), record.location.position);
  }
  SimPlace here;
  sim::SimTimers timers{here.world()};
  sim::SimStore objects{here.world()};
  std::unique_ptr<adapters::ChainStore> logs;
};

struct FileChainTwin final : WalTwin {
  FileChainTwin() { reopen(); }
  ~FileChainTwin() override { logs.reset(); }
  Place& place() override { return here; }
  ports::WalStore& store() override { return *logs; }
  void reopen() override {
    logs.reset();
    objects = std::move(*adapters::FileStore::open(root));
    logs = std::make_unique<adapters::ChainStore>(*objects, timers, core::Random(1));
  }
  void damage(core::Life life, const ports::WalRecord& record) override {
    flip_byte(root + "/" + adapters::chain_name(life, record.location.file),
              record.location.position);
  }
  Scratch scratch;
  std::string root = scratch.path("objects");
  RealPlace here;
  adapters::AsioTimers timers;
  std::unique_ptr<adapters::FileStore> objects;
  std::unique_ptr<adapters::ChainStore> logs;
};

/// What tests of any backend do all the time.
class WalUser {
 public:
  explicit WalUser(WalTwin& twin) : twin_(twin) {}

  template <class T>
  T run(ports::Task<T> task) {
    return twin_.place().run(std::move(task));
  }
  std::unique_ptr<ports::Wal> create(core::Life life) {
    return std::move(*run(twin_.store().create(life)));
  }
  core::Result<ports::WalRecord> append(ports::Wal& wal, const std::string& payload) {
    return run(wal.append({core::Bytes(payload)}));
  }
  /// What lies at each of `places`, one after the other, or the error.
  std::string read(core::Life life, std::vector<ports::WalLocation> places) {
    const auto found = run(twin_.store().read(life, std::move(places)));
    if (!found) return core::name_of(found.error().code);
    std::string text;
    for (const core::Bytes& bytes : *found) text += bytes.view();
    return text;
  }
  core::Result<std::vector<ports::WalRecord>> replay(core::Life life, std::uint64_t from = 0,
                                                     std::size_t max_bytes = 1000) {
    std::vector<ports::WalRecord> all;
    for (;;) {
      auto some = run(twin_.store().replay(life, from, max_bytes));
      if (!some) return some;
      if (some->empty()) return all;
      from = some->back().sequence + 1;
      for (auto& record : *some) all.push_back(std::move(record));
    }
  }
  /// Seals `life` and says what is in it: "0:text 1:text! ..." (`!`: damaged), or the error.
  std::string content(core::Life life, std::uint64_t from = 0, std::size_t max_bytes = 1000) {
    const auto sealed = run(twin_.store().take_over(life));
    if (!sealed) return std::string("take_over: ") + core::name_of(sealed.error().code);
    const auto records = replay(life, from, max_bytes);
    if (!records) return core::name_of(records.error().code);
    std::string text;
    for (const auto& record : *records) {
      text += (text.empty() ? "" : " ") + std::to_string(record.sequence) + ":";
      text += record.damage.empty() ? std::string(record.payload.view()) : "!";
    }
    return text;
  }

 private:
  WalTwin& twin_;
};

}  // namespace tests
