/// Decoded values as text, every field of them, so that two decodings can be compared and a
/// difference can be read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/codec/extender_args.h"
#include "berth/model/node.h"
#include "berth/model/pod.h"

namespace berth::codec::test {

class Speller {
 public:
  [[nodiscard]] const std::string& text() const { return text_; }

  void add(std::string_view text) {
    text_ += std::to_string(text.size());
    text_ += ':';
    text_ += text;
    text_ += ' ';
  }
  void add(bool flag) { add(std::string_view(flag ? "yes" : "no")); }
  void add_number(long long number) { add(std::string_view(std::to_string(number))); }
  void add(const model::Labels& labels) {
    for (const auto& [key, value] : labels) {
      add(std::string_view(key));
      add(std::string_view(value));
    }
    text_ += ";\n";
  }
  void add(const model::ResourceList& list) {
    for (const auto& entry : list) {
      add(std::string_view(entry.name));
      add_number(static_cast<long long>(entry.quantity.nano() >> 64));
      add_number(static_cast<long long>(entry.quantity.nano()));
    }
    text_ += ";\n";
  }
  template <typename T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <typename T>
  void add(const std::vector<T>& values) {
    for (const T& value : values) add(value);
    text_ += ";\n";
  }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const model::Container& container) {
    add(container.name);
    add(container.restartable);
    add(container.requests);
  }
  void add(const model::ContainerStatus& status) {
    add(status.name);
    add(status.actuated);
    add(status.allocated);
  }
  void add(const model::NodeSelectorRequirement& requirement) {
    add(requirement.key);
    add_number(static_cast<int>(requirement.op));
    add(requirement.values);
  }
  void add(const model::NodeSelectorTerm& term) {
    add(term.match_expressions);
    add(term.match_fields);
  }
  void add(const model::NodeSelector& selector) { add(selector.terms); }
  void add(const model::PreferredSchedulingTerm& term) {
    add_number(term.weight);
    add(term.preference);
  }
  void add(const model::Toleration& toleration) {
    add(toleration.key);
    add_number(static_cast<int>(toleration.op));
    add(toleration.value);
    add(toleration.effect);
  }
  void add(const model::Taint& taint) {
    add(taint.key);
    add(taint.value);
    add_number(static_cast<int>(taint.effect));
  }
  void add(const model::Pod& pod) {
    for (const auto* text : {&pod.namespace_name, &pod.name, &pod.uid, &pod.resource_version,
                             &pod.node_name, &pod.scheduler_name}) {
      add(*text);
    }
    add(pod.labels);
    add(pod.annotations);
    add_number(static_cast<int>(pod.phase));
    add(pod.terminating);
    add(pod.containers);
    add(pod.init_containers);
    add(pod.pod_level_requests);
    add(pod.overhead);
    add(pod.container_statuses);
    add(pod.init_container_statuses);
    add(pod.pod_level_actuated);
    add(pod.pod_level_allocated);
    add(pod.resize_infeasible);
    add(pod.node_selector);
    add(pod.required_affinity);
    add(pod.preferred_affinity);
    add(pod.tolerations);
    add(pod.invalid_requests);
  }
  void add(const model::Node& node) {
    for (const auto* text : {&node.name, &node.uid, &node.resource_version}) add(*text);
    add(node.creation_time.has_value());
    if (node.creation_time) add_number(node.creation_time->time_since_epoch().count());
    add(node.labels);
    add(node.taints);
    add(node.unschedulable);
    add(node.capacity);
    add(node.allocatable);
    add(node.invalid_quantities);
  }
  void add(const RequestedNode& node) {
    add(node.raw_name);
    add(node.name);
    add(node.raw_node);
    add_number(node.node);
  }

 private:
  std::string text_;
};

[[nodiscard]] inline std::string spell_out(const ExtenderArgs& args) {
  Speller speller;
  speller.add(args.pod);
  speller.add(args.has_names);
  speller.add(args.has_nodes);
  speller.add(args.requested);
  speller.add(args.nodes);
  return speller.text();
}

/// A decoding or its error, for comparing two of them.
[[nodiscard]] inline std::string spell_out(const Result<const ExtenderArgs*>& args) {
  if (args) return spell_out(**args);
  return std::to_string(static_cast<int>(args.error().code)) + " " + args.error().message;
}

}  // namespace berth::codec::test
