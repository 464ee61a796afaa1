#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <ctime>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/http/deadlines.h"
#include "adapters/http/server.h"

namespace adapters {

class Connection;

/// What connections of all threads share.
struct HttpShared {
  std::atomic<std::size_t> connections{0};
  std::atomic<std::uint64_t> buffered{0};  // Bytes of large request bodies in memory.

  /// Posts to whoever drains that the last connection is gone.
  void tell_drained();

  std::mutex mutex;
  std::shared_ptr<boost::asio::steady_timer> drained;  // Guarded by mutex.
};

/// One listening address; lives as long as the server.
struct HttpListener {
  ports::HttpHandler& handler;
  HttpLimits limits;
};

/// The connections of one thread, and scratch memory that they use between two suspensions, so that
/// an idle connection owns no buffers.
struct NetThread {
  NetThread(std::size_t number, boost::asio::io_context& loop)
      : index(number), io(loop), scratch(64 * 1024) {}

  /// "Date: ...\r\n", made once a second.
  const std::string& date();

  std::size_t index;
  boost::asio::io_context& io;
  Deadlines deadlines{io};
  std::list<Connection*> connections;
  std::vector<char> scratch;         // What recv gave, until it is parsed.
  std::string head;                  // A response's head, until it is sent.
  ports::HttpRequest spare_request;  // Empty, with memory for the next one.
  bool stopping = false;

 private:
  std::time_t date_made_ = 0;
  std::string date_;
};

}  // namespace adapters
