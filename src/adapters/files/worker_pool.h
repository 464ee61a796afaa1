#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/result.h"
#include "ports/task.h"

namespace adapters {

/// A coroutine that waits for another thread. Belongs to the coroutine's executor and is completed
/// and destroyed there, once: by the result or by cancellation, whichever comes first.
template <class T>
class Waiter {
 public:
  /// Hooks up the handler's cancellation slot. A cancelled operation is answered `unknown`: it goes
  /// on behind its caller's back.
  template <class Handler>
  static std::shared_ptr<Waiter> make(Handler handler) {
    namespace asio = ports::asio;
    const asio::any_io_executor executor = asio::get_associated_executor(handler);
    auto made = std::make_shared<Waiter>(executor, std::move(handler));
    // Of the erased handler, which has taken the original's slot for itself.
    auto slot = asio::get_associated_cancellation_slot(made->handler_);
    if (slot.is_connected()) {
      slot.assign([weak = std::weak_ptr(made)](asio::cancellation_type) {
        const auto waiter = weak.lock();
        if (!waiter) return;
        asio::post(waiter->executor_, [waiter] {
          waiter->complete(core::fail(core::Errc::unknown, "cancelled while under way"));
        });
      });
    }
    return made;
  }

  template <class Handler>
  Waiter(ports::asio::any_io_executor executor, Handler handler)
      : executor_(ports::asio::prefer(executor, ports::asio::execution::outstanding_work.tracked)),
        handler_(std::move(handler)) {}

  /// From any thread; gives up the caller's share of the waiter.
  static void answer(std::shared_ptr<Waiter>&& waiter, T result) {
    const ports::asio::any_io_executor executor = waiter->executor_;
    ports::asio::post(executor, [waiter = std::move(waiter), result = std::move(result)]() mutable {
      waiter->complete(std::move(result));
    });
  }

 private:
  void complete(T result) {
    if (!handler_) return;
    auto handler = std::exchange(handler_, nullptr);
    ports::asio::get_associated_cancellation_slot(handler).clear();
    std::move(handler)(std::move(result));
  }

  ports::asio::any_io_executor executor_;
  ports::asio::any_completion_handler<void(T)> handler_;
};

/// Threads for calls that block. Destroying it waits for all that was begun; the executors that
/// wait for results must still be there then.
class WorkerPool {
 public:
  explicit WorkerPool(std::size_t threads) : threads_(threads) {}
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool() { threads_.join(); }

  /// Runs `work`, which gives a core::Result, on one of the threads.
  template <class Function>
  auto run(Function work) -> ports::Task<std::invoke_result_t<Function&>> {
    namespace asio = ports::asio;
    using Outcome = std::invoke_result_t<Function&>;
    return asio::async_initiate<const asio::use_awaitable_t<>, void(Outcome)>(
        [this](auto handler, Function taken) {
          auto waiter = Waiter<Outcome>::make(std::move(handler));
          asio::post(threads_, [waiter = std::move(waiter), taken = std::move(taken)]() mutable {
            Outcome outcome = taken();
            Waiter<Outcome>::answer(std::move(waiter), std::move(outcome));
          });
        },
        asio::use_awaitable, std::move(work));
  }

 private:
  ports::asio::thread_pool threads_;
};

}  // namespace adapters
