#include "fixture.h"

#include <gmock/gmock.h>

namespace berth::service {

void RecordingObserver::on_decision(const Decision& decision) {
  const std::lock_guard lock(mutex_);
  seen_.push_back({decision,
                   std::string(decision.pod_namespace) + "/" + std::string(decision.pod_name),
                   std::string(decision.detail),
                   std::string(decision.winner),
                   {decision.invalid_requests.begin(), decision.invalid_requests.end()},
                   std::optional<std::string>(decision.unknown_affinity)});
}

std::vector<SeenDecision> RecordingObserver::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

Time at(std::string_view rfc3339) {
  const auto time = model::parse_rfc3339(rfc3339);
  EXPECT_TRUE(time) << rfc3339;
  return time ? *time : Time{};
}

std::shared_ptr<const cluster::Snapshot> snapshot_of(std::string_view cluster_json,
                                                     const model::GpuPolicy& gpu, Time now) {
  auto objects = codec::decode_cluster(PaddedBuffer(cluster_json));
  EXPECT_TRUE(objects) << (objects ? "" : objects.error().message);
  if (!objects) return nullptr;
  EXPECT_THAT(objects->problems, ::testing::IsEmpty());
  cluster::ClusterState state(gpu);
  state.replace(std::move(objects->nodes), objects->pods, now, std::move(objects->devices));
  return state.snapshot(now);
}

void ExtenderBench::publish(std::string_view cluster_json, const placement::Policy& policy) {
  policies.publish(std::make_shared<const placement::Policy>(policy));
  snapshots.publish(snapshot_of(cluster_json, policy.gpu, clock.now()));
}

std::string node_json(const std::string& name, int gpus, const std::string& extra_label) {
  const std::string gpu = gpus > 0 ? R"(,"nvidia.com/gpu":")" + std::to_string(gpus) + "\"" : "";
  const std::string label = gpus > 0 ? R"("gpu":"true",)" : "";
  const std::string more = extra_label.empty() ? "" : extra_label + ",";
  return R"({"kind":"Node","metadata":{"name":")" + name + R"(","uid":"uid-)" + name +
         R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{)" + label + more +
         R"("kubernetes.io/hostname":")" + name +
         R"("}},"spec":{},"status":{"allocatable":{"cpu":"8","memory":"32Gi","pods":"110")" + gpu +
         R"(},"capacity":{"cpu":"8","memory":"32Gi","pods":"110")" + gpu + "}}}";
}

std::string bound_pod_json(const std::string& name, const std::string& node, int gpus) {
  return R"({"kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"ml","uid":"uid-)" +
         name + R"("},"spec":{"nodeName":")" + node +
         R"(","containers":[{"name":"main","resources":{"requests":{"nvidia.com/gpu":")" +
         std::to_string(gpus) + R"("}}}]},"status":{"phase":"Running"}})";
}

std::string list_json(const std::vector<std::string>& items) {
  std::string list = R"({"kind":"List","items":[)";
  for (const auto& item : items) {
    if (list.back() != '[') list += ",";
    list += item;
  }
  return list + "]}";
}

std::string args_json(int gpus, const std::string& form) {
  const std::string gpu = gpus > 0 ? R"(,"nvidia.com/gpu":")" + std::to_string(gpus) + "\"" : "";
  return R"({"Pod":{"metadata":{"name":"train-0","namespace":"ml","uid":"u"},"spec":{"containers":)"
         R"([{"name":"main","resources":{"requests":{"cpu":"1","memory":"1Gi")" +
         gpu + R"(}}}]}},)" + form + "}";
}

}  // namespace berth::service
