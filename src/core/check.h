#pragma once

#include <cstdio>
#include <cstdlib>

namespace core {

[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: CHECK(%s) failed\n", file, line, condition);
  std::abort();
}

}  // namespace core

/// States what must hold if this program is right. Stays on in release builds: a node that stops is
/// recovered from, a node that goes on wrongly is not. Never for what a peer, a disk or a user may
/// do.
#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::core::check_failed(#condition, __FILE__, __LINE__))
