#pragma once

#include <boost/asio/awaitable.hpp>

namespace ports {

namespace asio = boost::asio;

/// A coroutine of the logic thread that gives a T. See CONTRIBUTING.md for the g++ 12 traps.
template <class T>
using Task = asio::awaitable<T>;

}  // namespace ports
