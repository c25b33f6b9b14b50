#include "berth/app/pages.h"

#include <cstdio>

#include "berth/codec/extender_reply.h"
#include "berth/model/readiness.h"

namespace berth::app {
namespace {

std::string seconds(std::chrono::nanoseconds span) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(span).count());
  return text;
}

/// {"cpu":4000,"memory":17179869184}
class Amounts {
 public:
  void add(std::string_view resource, std::int64_t units) {
    json_ += json_.size() > 1 ? "," : "";
    json_ += codec::quote_json(resource) + ":" + std::to_string(units);
  }
  [[nodiscard]] std::string json() const { return json_ + "}"; }

 private:
  std::string json_ = "{";
};

std::string node_json(const cluster::Snapshot& snapshot, Row row, Time now) {
  const cluster::Topology& topology = snapshot.topology();
  const model::Node& node = topology.node(row);
  Amounts allocatable;
  Amounts free;
  for (std::uint32_t i = 0; i < topology.resources().size(); ++i) {
    const cluster::ResourceColumn column{i};
    if (!topology.rows_with(column).contains(row)) continue;
    allocatable.add(topology.resources()[i], topology.allocatable(column)[row.index]);
    free.add(topology.resources()[i], snapshot.free(column)[row.index]);
  }
  Amounts held;
  if (const cluster::Held* of_pods = snapshot.held(node.name)) {
    for (const auto& [resource, units] : *of_pods) held.add(resource, units);
  }
  const auto readiness =
      model::judge(topology.readiness_inputs(row), now, topology.gpu_policy().grace);
  return "{\"name\":" + codec::quote_json(node.name) + ",\"uid\":" + codec::quote_json(node.uid) +
         ",\"readiness\":" + codec::quote_json(model::to_string(readiness)) +
         ",\"allocatable\":" + allocatable.json() + ",\"held\":" + held.json() +
         ",\"free\":" + free.json() + "}";
}

}  // namespace

ReadinessPage readiness_page(bool has_snapshot, std::span<const cluster::SourceStatus> sources,
                             std::chrono::nanoseconds stale_after) {
  ReadinessPage page;
  page.ready = has_snapshot;
  std::string lines;
  for (const cluster::SourceStatus& source : sources) {
    const bool stale = source.silent_for >= stale_after;
    if (stale) page.ready = false;
    lines += std::string(cluster::to_string(source.source)) + ": " +
             (source.absent   ? "not served"
              : source.synced ? "synced"
                              : "not listed yet") +
             ", last heard of " + seconds(source.silent_for) + " ago" +
             (stale ? ", stale (limit " + seconds(stale_after) + ")" : "") +
             (source.trouble.empty() ? "" : ": " + source.trouble) + "\n";
  }
  page.text = (page.ready     ? "ok\n"
               : has_snapshot ? "not ready: the API server is silent\n"
                              : "not ready: no cluster snapshot yet\n") +
              lines;
  return page;
}

std::string nodes_page(const cluster::Snapshot& snapshot, Time now) {
  std::string json = "{\"generation\":" + std::to_string(snapshot.generation()) + ",\"nodes\":[";
  for (std::uint32_t i = 0; i < snapshot.rows(); ++i) {
    json += (i > 0 ? ",\n" : "\n") + node_json(snapshot, Row{i}, now);
  }
  return json + "\n]}\n";
}

}  // namespace berth::app
