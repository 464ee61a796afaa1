#include "app/allocator.h"

#include <cstddef>

// jemalloc reads this when it starts (docs/decisions/0011). Freed memory goes back to the system
// after ten seconds also when nothing is allocated any more.
extern "C" {
[[gnu::used]] const char* malloc_conf = "background_thread:true";

// Not there in builds with a sanitizer, which bring their own allocator.
[[gnu::weak]] int mallctl(const char* name, void* old, std::size_t* old_size, void* fresh,
                          std::size_t fresh_size);
}

namespace app {

void release_free_memory() {
  // 4096 is MALLCTL_ARENAS_ALL.
  if (mallctl != nullptr) (void)mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
}

}  // namespace app
