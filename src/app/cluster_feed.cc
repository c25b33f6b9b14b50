#include "berth/app/cluster_feed.h"

#include <utility>

#include "berth/base/padded_buffer.h"
#include "berth/codec/yaml.h"

namespace berth::app {
namespace {

constexpr std::size_t kMaxDepth = 64;
/// Said per load at most; the number of all of them is always said.
constexpr std::size_t kMaxProblemLines = 20;

}  // namespace

template <typename Say>
void ClusterFeed::Problems::report(const std::vector<std::string>& problems, Say say) {
  std::set<std::string> current(problems.begin(), problems.end());
  std::size_t said = 0;
  for (const std::string& problem : current) {
    if (known_.contains(problem)) continue;
    if (++said > kMaxProblemLines) break;
    say(problem);
  }
  known_ = std::move(current);
}

Result<codec::ClusterObjects> parse_cluster(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return Error{ErrorCode::kInvalidArgument, "empty"};
  if (text[start] == '{' || text[start] == '[') {
    return codec::decode_cluster(PaddedBuffer(text), kMaxDepth);
  }
  const auto json = codec::yaml_to_json(text, kMaxClusterBytes, kMaxDepth);
  if (!json) return json.error();
  if (json->empty()) return Error{ErrorCode::kInvalidArgument, "no object in it"};
  return codec::decode_cluster(*json, kMaxDepth);
}

ClusterFeed::ClusterFeed(model::GpuPolicy gpu_policy, Published<cluster::Snapshot>& snapshots,
                         const Clock& clock, telemetry::Metrics& metrics, telemetry::Log& log)
    : state_(std::move(gpu_policy)),
      snapshots_(snapshots),
      clock_(clock),
      metrics_(metrics),
      log_(log) {}

Status ClusterFeed::load(std::string_view text) {
  auto objects = parse_cluster(text);
  if (!objects) return objects.error();
  const Time now = clock_.now();
  state_.replace(std::move(objects->nodes), objects->pods, now, std::move(objects->devices));
  publish(now);
  log_.info("cluster loaded", {{"nodes", state_.nodes()},
                               {"pods", state_.pods()},
                               {"ignored", objects->ignored},
                               {"unreadable", objects->problems.size()}});
  report(*objects);
  return ok();
}

void ClusterFeed::set_gpu_policy(model::GpuPolicy gpu_policy) {
  state_.set_gpu_policy(std::move(gpu_policy));
  if (snapshots_.read() == nullptr) return;
  publish(clock_.now());
  report_devices();
}

void ClusterFeed::report(const codec::ClusterObjects& objects) {
  items_left_out_.report(objects.problems, [this](const std::string& problem) {
    log_.warn("item of the cluster left out", {{"why", problem}});
  });
  report_devices();
}

void ClusterFeed::report_devices() {
  devices_not_counted_.report(state_.device_problems(), [this](const std::string& problem) {
    log_.warn("devices are not counted", {{"why", problem}});
  });
}

void ClusterFeed::publish(Time now) {
  snapshots_.publish(state_.snapshot(now));
  metrics_.set_pods(state_.pods());
}

}  // namespace berth::app
