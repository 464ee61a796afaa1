#pragma once

namespace app {

/// Gives memory that was freed back to the system, where the allocator keeps it for later use.
void release_free_memory();

}  // namespace app
