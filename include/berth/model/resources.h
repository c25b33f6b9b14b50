/// Amounts of named resources: cpu, memory, pods, ephemeral-storage and every extended resource.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "berth/model/amount.h"
#include "berth/model/quantity.h"

namespace berth::model {

inline constexpr std::string_view kCpu = "cpu";
inline constexpr std::string_view kMemory = "memory";
inline constexpr std::string_view kEphemeralStorage = "ephemeral-storage";
inline constexpr std::string_view kPods = "pods";

/// Exact quantities by resource name (Kubernetes' ResourceList). Value type; iteration is in name
/// order. Cost of a look-up: logarithmic.
class ResourceList {
 public:
  struct Entry {
    std::string name;
    Quantity quantity;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  ResourceList() = default;
  ResourceList(std::initializer_list<Entry> entries);

  void set(std::string_view name, Quantity quantity);
  void add(std::string_view name, Quantity quantity);       ///< missing counts as zero
  void raise_to(std::string_view name, Quantity quantity);  ///< the larger; adds a missing name
  void add(const ResourceList& other);
  void raise_to(const ResourceList& other);

  [[nodiscard]] const Quantity* find(std::string_view name) const;
  [[nodiscard]] Quantity get(std::string_view name) const;  ///< zero when missing
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  friend bool operator==(const ResourceList&, const ResourceList&) = default;

 private:
  std::vector<Entry> entries_;  // sorted by name
};

/// One resource of a pod's request or a node's allocatable, rounded once, as kube-scheduler does:
/// cpu to thousandths, everything else to whole units, both away from zero.
[[nodiscard]] ResourceUnits to_units(std::string_view resource, Quantity quantity);

[[nodiscard]] MilliCpu milli_cpu_of(const ResourceList& list);
[[nodiscard]] Bytes memory_of(const ResourceList& list);

}  // namespace berth::model
