#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <set>
#include <utility>

namespace adapters {

/// The deadlines of all connections of one network thread behind a single timer.
///
/// A connection moves its deadline several times a request, nearly always to later; that only
/// writes a number. The tree is touched when a deadline moves to before where the entry is filed.
class Deadlines {
 public:
  using Clock = std::chrono::steady_clock;

  class Entry {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    /// Called once when the deadline has passed; the entry then has none.
    virtual void on_deadline() = 0;

   protected:
    ~Entry() = default;

   private:
    friend class Deadlines;
    Clock::time_point due_ = Clock::time_point::max();
    Clock::time_point filed_ = Clock::time_point::max();  // max: not in the tree.
  };

  explicit Deadlines(boost::asio::io_context& io) : timer_(io) {}

  void set(Entry& entry, Clock::time_point due);
  void clear(Entry& entry) { entry.due_ = Clock::time_point::max(); }

  /// Before the entry is destroyed.
  void forget(Entry& entry);

 private:
  void file(Entry& entry, Clock::time_point at);
  void arm();
  void run_due();

  boost::asio::steady_timer timer_;
  std::set<std::pair<Clock::time_point, Entry*>> filed_;
  Clock::time_point armed_ = Clock::time_point::max();
};

}  // namespace adapters
