#pragma once

#include <string>

#include "drivers/engine/engine.h"
#include "drivers/serve/admin_service.h"

namespace app {

/// What this node says about itself on the admin listener. A node on its own holds the lease: its
/// data directory admits no second one.
class NodeAdmin final : public drivers::AdminService {
 public:
  NodeAdmin(const drivers::Engine& engine, std::string cluster_id)
      : engine_(engine), cluster_id_(std::move(cluster_id)) {}

  void set_stopping() { is_stopping_ = true; }

  drivers::Readiness readiness() override;
  drivers::ClusterFacts cluster() override;
  std::vector<drivers::NodeFacts> nodes() override;
  std::optional<drivers::StreamPlace> stream(const std::string& name) override;
  std::vector<drivers::Sample> samples() override;

 private:
  const drivers::EngineContext& context() const { return engine_.context(); }
  bool is_fenced() const;

  const drivers::Engine& engine_;
  std::string cluster_id_;
  bool is_stopping_ = false;
};

}  // namespace app
