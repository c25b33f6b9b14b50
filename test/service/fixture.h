/// An Extender on a cluster given as JSON, and what it told its observer.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/padded_buffer.h"
#include "berth/base/published.h"
#include "berth/cluster/snapshot.h"
#include "berth/cluster/state.h"
#include "berth/codec/objects.h"
#include "berth/model/time.h"
#include "berth/service/extender.h"

namespace berth::service {

/// A Decision whose texts outlive the call.
struct SeenDecision {
  Decision decision;
  std::string pod;  ///< namespace/name
  std::string detail;
  std::string winner;
  std::vector<std::string> invalid_requests;
  std::optional<std::string> unknown_affinity;

  [[nodiscard]] std::size_t refused(placement::Stage stage) const {
    return decision.refused[static_cast<std::size_t>(stage)];
  }
};

class RecordingObserver final : public Observer {
 public:
  void on_decision(const Decision& decision) override;
  [[nodiscard]] std::vector<SeenDecision> seen() const;

 private:
  mutable std::mutex mutex_;
  std::vector<SeenDecision> seen_;
};

/// A moment; fails the test when the text is none.
[[nodiscard]] Time at(std::string_view rfc3339);

/// The snapshot of a List as kubectl prints it, every item of it readable.
[[nodiscard]] std::shared_ptr<const cluster::Snapshot> snapshot_of(std::string_view cluster_json,
                                                                   const model::GpuPolicy& gpu,
                                                                   Time now);

/// Everything an Extender needs. Publishes nothing by itself.
struct ExtenderBench {
  explicit ExtenderBench(Time now, codec::ExtenderLimits limits = {})
      : clock(now), extender(snapshots, policies, clock, observer, limits) {}

  void publish(std::string_view cluster_json, const placement::Policy& policy = {});
  [[nodiscard]] Reply filter(std::string_view body) { return extender.filter(PaddedBuffer(body)); }
  [[nodiscard]] Reply prioritize(std::string_view body) {
    return extender.prioritize(PaddedBuffer(body));
  }

  FixedClock clock;
  Published<cluster::Snapshot> snapshots;
  Published<placement::Policy> policies;
  RecordingObserver observer;
  Extender extender;
};

// Pieces of JSON.
/// A node with 8 CPU, 32Gi, 110 pod slots; `gpus` > 0: that many, and the GPU label.
[[nodiscard]] std::string node_json(const std::string& name, int gpus,
                                    const std::string& extra_label = "");
/// A running pod on a node.
[[nodiscard]] std::string bound_pod_json(const std::string& name, const std::string& node,
                                         int gpus);
[[nodiscard]] std::string list_json(const std::vector<std::string>& items);
/// ExtenderArgs of a pod that asks for 1 CPU, 1Gi and `gpus`; `form` is the rest of the object,
/// such as R"("NodeNames":["a"])".
[[nodiscard]] std::string args_json(int gpus, const std::string& form);

}  // namespace berth::service
