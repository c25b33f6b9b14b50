/// Kubernetes objects from JSON: the few fields that placing depends on.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/padded_buffer.h"
#include "berth/base/result.h"
#include "berth/model/devices.h"
#include "berth/model/node.h"
#include "berth/model/pod.h"

namespace berth::codec {

/// Decodes one object at a time; keeps its scratch memory. Not thread-safe.
/// Unknown fields are skipped, null equals absent, a repeated key's last value counts, keys match
/// exactly. All of the text is validated. Errors: kInvalidArgument, naming the field
/// (spec.containers[0].resources...) and the value, kTooLarge for nesting; quantities are the
/// exception, see model::Pod::invalid_requests and model::Node::invalid_quantities. A missing name
/// is no error here. Cost: O(bytes), at about a gigabyte per second.
class ObjectDecoder {
 public:
  explicit ObjectDecoder(std::size_t max_depth = 64);
  ~ObjectDecoder();
  ObjectDecoder(ObjectDecoder&&) noexcept;
  ObjectDecoder& operator=(ObjectDecoder&&) noexcept;

  /// `json` must have PaddedBuffer::kPadding readable bytes behind it.
  [[nodiscard]] Result<model::Pod> pod(std::string_view json);
  [[nodiscard]] Result<model::Node> node(std::string_view json);
  [[nodiscard]] Result<model::DeviceClass> device_class(std::string_view json);
  [[nodiscard]] Result<model::ResourceSlice> resource_slice(std::string_view json);
  [[nodiscard]] Result<model::ResourceClaim> resource_claim(std::string_view json);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The objects of a saved cluster.
struct ClusterObjects {
  std::vector<model::Node> nodes;
  std::vector<model::Pod> pods;
  model::DeviceObjects devices;
  std::size_t ignored = 0;            ///< items of other kinds
  std::vector<std::string> problems;  ///< items left out, each saying which and why
  bool has_empty_list = false;        ///< a list with `items: []`: nothing is meant
};

/// Reads what `kubectl get nodes,pods,deviceclasses,resourceslices,resourceclaims -A -o json`
/// prints: a List (also NodeList, PodList, ... whose items have no kind), a single object, or
/// several such documents one after the other. One bad item affects only itself (one without a
/// name is bad); text that is not JSON is an error. Memory beyond the result: what the largest item
/// needs.
[[nodiscard]] Result<ClusterObjects> decode_cluster(const PaddedBuffer& json,
                                                    std::size_t max_depth = 64);

}  // namespace berth::codec
