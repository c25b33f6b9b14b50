/// The body of a filter or prioritize call: kube-scheduler's ExtenderArgs.
///
/// Source: kube-scheduler extender/v1 types.go. Top-level keys match without regard to case, keys
/// inside Pod and Node exactly; unknown fields, nulls, white space, any order are tolerated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/padded_buffer.h"
#include "berth/base/result.h"
#include "berth/model/node.h"
#include "berth/model/pod.h"

namespace berth::codec {

/// What one request may hold at most; more is kTooLarge.
struct ExtenderLimits {
  std::size_t names_body_bytes = std::size_t{64} << 20;   ///< body of the names form
  std::size_t nodes_body_bytes = std::size_t{512} << 20;  ///< body of the full-node form
  std::size_t nodes = 200'000;                            ///< names or items in one request
  std::size_t depth = 64;                                 ///< nesting of objects and arrays
  std::size_t name_bytes = 1024;                          ///< one node name, as written
  std::size_t object_bytes = std::size_t{16} << 20;       ///< one Pod, Node or unknown value
};

/// A node name as it stands in the body: the JSON text between its quotes (still escaped).
struct RequestedNode {
  static constexpr std::uint32_t kNoNode = UINT32_MAX;
  std::string_view raw_name;
  std::string_view name;         ///< unescaped
  std::string_view raw_node;     ///< the whole object, full-node form only
  std::uint32_t node = kNoNode;  ///< index into ExtenderArgs::nodes, full-node form only
};

/// Views point into the body and into the decoder that made it.
struct ExtenderArgs {
  model::Pod pod;
  bool has_names = false;  ///< NodeNames was given (not null)
  bool has_nodes = false;  ///< Nodes was given (not null)
  /// In the order of the request, possibly with repeats. With both forms given: the names (with
  /// the first item of that name), then the items that no name names.
  std::vector<RequestedNode> requested;
  std::vector<model::Node> nodes;  ///< full-node form: the facts of the items, in order
};

/// Reusable scratch memory: one decoder serves one request at a time. Not thread-safe.
/// Cost: O(bytes), at about a gigabyte per second; scratch grows with the largest object and the
/// number of names, never with the body. Uses a few KiB of stack, whatever the nesting.
class ExtenderArgsDecoder {
 public:
  ExtenderArgsDecoder();
  ~ExtenderArgsDecoder();

  /// The result is valid until the next decode() and while `body` lives unchanged.
  /// Errors: kInvalidArgument (not JSON, wrong type, no Pod; the message names the field),
  /// kTooLarge (a limit, nesting too; names it).
  [[nodiscard]] Result<const ExtenderArgs*> decode(const PaddedBuffer& body,
                                                   const ExtenderLimits& limits);

  /// The same without the fast path for Go's exact byte shape: what decode() must agree with.
  [[nodiscard]] Result<const ExtenderArgs*> decode_general(const PaddedBuffer& body,
                                                           const ExtenderLimits& limits);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::codec
