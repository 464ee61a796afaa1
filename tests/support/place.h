#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "ports/task.h"
#include "sim/world.h"

namespace tests {

namespace asio = boost::asio;

/// Where the coroutines of a contract test run: real time for real implementations of a port,
/// virtual time for simulated ones.
class Place {
 public:
  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  virtual ~Place() = default;

  virtual asio::any_io_executor executor() = 0;

  /// Runs until `done()`; false if nothing more can happen, or it took too long.
  virtual bool run_until(const std::function<bool()>& done) = 0;

  /// Starts `task`; `finished` hears of its value.
  template <class T, class Finished>
  void start(ports::Task<T> task, Finished finished) {
    asio::co_spawn(executor(), std::move(task),
                   [finished](std::exception_ptr error, T value) mutable {
                     if (error) std::rethrow_exception(error);
                     finished(std::move(value));
                   });
  }

  /// Runs `task` to its end.
  template <class T>
  T run(ports::Task<T> task) {
    std::optional<T> result;
    start(std::move(task), [&result](T value) { result = std::move(value); });
    CHECK(run_until([&result] { return result.has_value(); }));
    return std::move(*result);
  }
};

class RealPlace final : public Place {
 public:
  asio::any_io_executor executor() override { return io_.get_executor(); }

  bool run_until(const std::function<bool()>& done) override {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      io_.restart();
      if (io_.run_one_until(deadline) == 0) return done();
    }
    return true;
  }

 private:
  asio::io_context io_{1};
};

class SimPlace final : public Place {
 public:
  explicit SimPlace(std::uint64_t seed = 1) : world_(seed) {}
  sim::SimWorld& world() { return world_; }
  asio::any_io_executor executor() override { return world_.executor(core::NodeId{1}); }
  bool run_until(const std::function<bool()>& done) override { return world_.run_until(done); }

 private:
  sim::SimWorld world_;
};

}  // namespace tests
