#pragma once

#include <string>

#include "app/verify/run.h"

namespace app::verify {

/// For people.
std::string text_report(const Run& run, const Judgement& judgement);

/// For programs: one object on one line.
std::string json_report(const Run& run, const Judgement& judgement);

}  // namespace app::verify
