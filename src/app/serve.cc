#include "app/serve.h"

#include "app/command.h"

namespace app {

int serve(const ServeOptions& options) {
  return complain("serve", options.listen.text() + ": this build has no engine to serve with",
                  kFailed);
}

}  // namespace app
