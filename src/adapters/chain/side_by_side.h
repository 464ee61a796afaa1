#pragma once

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ports/signal.h"

namespace adapters {

namespace detail {

template <class T>
struct Batch {
  Batch(ports::asio::any_io_executor executor, std::size_t count,
        std::function<ports::Task<T>(std::size_t)> one)
      : start(std::move(one)), results(count), finished(std::move(executor)) {}
  std::function<ports::Task<T>(std::size_t)> start;
  std::vector<std::optional<T>> results;
  std::size_t next = 0;
  std::size_t done = 0;
  ports::Signal finished;
};

template <class T>
ports::Task<void> work_through(std::shared_ptr<Batch<T>> batch) {
  while (batch->next < batch->results.size()) {
    const std::size_t mine = batch->next++;
    batch->results[mine] = co_await batch->start(mine);
    batch->done += 1;
  }
  batch->finished.notify_all();
}

}  // namespace detail

/// Runs `one(0)` ... `one(count - 1)`, up to `width` of them at a time, and gives their results in
/// order. What they refer to must outlive them, also if the caller is cancelled.
template <class T>
ports::Task<std::vector<T>> side_by_side(std::size_t count, std::size_t width,
                                         std::function<ports::Task<T>(std::size_t)> one) {
  namespace asio = ports::asio;
  const auto executor = co_await asio::this_coro::executor;
  const auto batch = std::make_shared<detail::Batch<T>>(executor, count, std::move(one));
  for (std::size_t i = 0; i < std::min(count, width); ++i) {
    asio::co_spawn(executor, detail::work_through<T>(batch), asio::detached);
  }
  while (batch->done < count) co_await batch->finished.wait();
  std::vector<T> results;
  results.reserve(count);
  for (std::optional<T>& result : batch->results) results.push_back(std::move(*result));
  co_return results;
}

}  // namespace adapters
