#include "core/result.h"

namespace core {

const char* name_of(Errc code) {
  switch (code) {
    case Errc::unavailable: return "unavailable";
    case Errc::unknown: return "unknown";
    case Errc::not_found: return "not_found";
    case Errc::conflict: return "conflict";
    case Errc::fenced: return "fenced";
    case Errc::invalid: return "invalid";
    case Errc::corrupt: return "corrupt";
    case Errc::limit: return "limit";
    case Errc::full: return "full";
  }
  return "unknown";
}

}  // namespace core
