#pragma once

#include "ports/signal.h"

namespace drivers {

using ports::Signal;

}  // namespace drivers
