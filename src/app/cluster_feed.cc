#include "berth/app/cluster_feed.h"

#include <span>
#include <utility>

#include "berth/base/padded_buffer.h"
#include "berth/codec/yaml.h"
#include "berth/model/quantity.h"

namespace berth::app {
namespace {

constexpr std::size_t kMaxDepth = 64;
/// Lines of one kind per load at most; the number of all left-out items is always said.
constexpr std::size_t kMaxLines = 20;

/// A file of something else, or of nothing that can be read, must not empty the cluster.
Status check_means_a_cluster(const codec::ClusterObjects& objects) {
  if (!objects.nodes.empty() || !objects.pods.empty()) return ok();
  std::string message = "no Node or Pod in it";
  if (!objects.problems.empty()) {
    message += " that can be read: " + model::summary_of(objects.problems);
  } else if (objects.ignored > 0) {
    message += ", only objects of other kinds (" + std::to_string(objects.ignored) + ")";
  } else if (objects.has_empty_list) {
    return ok();
  }
  return Error{ErrorCode::kInvalidArgument, std::move(message)};
}

/// One line per name that several objects of a kind have.
template <typename Object, typename NameOf>
void note_repeats(const std::vector<Object>& objects, NameOf name_of,
                  std::vector<std::string>& lines) {
  std::set<std::string> names;
  for (const Object& object : objects) {
    std::string name = name_of(object);
    if (!names.insert(name).second) lines.push_back(std::move(name));
  }
}

std::vector<std::string> repeats(const codec::ClusterObjects& objects) {
  std::vector<std::string> lines;
  note_repeats(
      objects.nodes, [](const model::Node& node) { return "Node " + node.name; }, lines);
  note_repeats(
      objects.pods,
      [](const model::Pod& pod) { return "Pod " + pod.namespace_name + "/" + pod.name; }, lines);
  return lines;
}

}  // namespace

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
  if (const Status means = check_means_a_cluster(*objects); !means) return means.error();
  const auto repeated = repeats(*objects);
  const auto unreadable = unreadable_quantities(*objects);
  const Time now = clock_.now();
  state_.replace(std::move(objects->nodes), objects->pods, now, std::move(objects->devices));
  publish(now);
  log_.info("cluster loaded", {{"nodes", state_.nodes()},
                               {"pods", state_.pods()},
                               {"ignored", objects->ignored},
                               {"unreadable", objects->problems.size()}});
  problems_.report(log_, "item of the cluster left out", objects->problems);
  if (state_.nodes() == 0) log_.warn("0 nodes in the cluster: every node asked about is unknown");
  repeats_.report(log_, "several objects of one name, the last counts", repeated);
  quantities_.report(log_, "quantity counts as 0", unreadable);
  report_devices();
  return ok();
}

void ClusterFeed::set_gpu_policy(model::GpuPolicy gpu_policy) {
  state_.set_gpu_policy(std::move(gpu_policy));
  if (snapshots_.read() == nullptr) return;
  publish(clock_.now());
  report_devices();
}

std::vector<std::string> ClusterFeed::unreadable_quantities(const codec::ClusterObjects& objects) {
  std::vector<std::string> lines;
  const auto look = [&](telemetry::QuantityOf of, const std::string& object,
                        std::span<const std::string> invalid) {
    if (invalid.empty()) return;
    metrics_.count_unreadable_quantities(of, invalid.size());
    lines.push_back(object + ": " + model::summary_of(invalid));
  };
  for (const model::Node& node : objects.nodes) {
    look(telemetry::QuantityOf::kNode, "Node " + node.name, node.invalid_quantities);
  }
  for (const model::Pod& pod : objects.pods) {
    look(telemetry::QuantityOf::kPod, "Pod " + pod.namespace_name + "/" + pod.name,
         pod.invalid_requests);
  }
  return lines;
}

void ClusterFeed::Complaints::report(telemetry::Log& log, std::string_view message,
                                     const std::vector<std::string>& lines) {
  std::set<std::string> current(lines.begin(), lines.end());
  std::size_t said = 0;
  for (const std::string& line : current) {
    if (known_.contains(line)) continue;
    if (++said > kMaxLines) break;
    log.warn(message, {{"why", line}});
  }
  known_ = std::move(current);
}

void ClusterFeed::report_devices() {
  devices_not_counted_.report(log_, "devices are not counted", state_.device_problems());
}

void ClusterFeed::publish(Time now) {
  snapshots_.publish(state_.snapshot(now));
  metrics_.set_pods(state_.pods());
}

}  // namespace berth::app
