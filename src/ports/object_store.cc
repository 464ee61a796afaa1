#include "ports/object_store.h"

namespace ports {

Task<core::Result<void>> ObjectStore::remove_all(std::vector<std::string> names) {
  for (const std::string& name : names) CO_TRY_VOID(co_await remove(name));
  co_return core::Result<void>{};
}

}  // namespace ports
