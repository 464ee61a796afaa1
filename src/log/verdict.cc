#include "log/verdict.h"

namespace cmdlog {

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::applied: return "applied";
    case Verdict::redundant: return "redundant";
    case Verdict::not_live: return "not_live";
    case Verdict::changed_since: return "changed_since";
    case Verdict::not_found: return "not_found";
    case Verdict::exists: return "exists";
    case Verdict::invalid: return "invalid";
  }
  return "unknown";
}

}  // namespace cmdlog
