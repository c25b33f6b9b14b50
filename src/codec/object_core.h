/// Objects from JSON text at any nesting budget: what the decoders share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/model/devices.h"
#include "berth/model/node.h"
#include "berth/model/pod.h"
#include "json_dom.h"

namespace berth::codec {

/// See ObjectDecoder; `depth` is the nesting allowed in this text. Every text needs
/// PaddedBuffer::kPadding readable bytes behind it. Not thread-safe.
class ObjectCore {
 public:
  [[nodiscard]] Result<model::Pod> pod(std::string_view json, std::size_t depth);
  [[nodiscard]] Result<model::Node> node(std::string_view json, std::size_t depth);
  [[nodiscard]] Result<model::DeviceClass> device_class(std::string_view json, std::size_t depth);
  [[nodiscard]] Result<model::ResourceSlice> resource_slice(std::string_view json,
                                                            std::size_t depth);
  [[nodiscard]] Result<model::ResourceClaim> resource_claim(std::string_view json,
                                                            std::size_t depth);
  /// Whether the text is one valid value, whatever it is.
  [[nodiscard]] Status validate(std::string_view json, std::size_t depth);
  /// The text of a JSON string, unescaped.
  [[nodiscard]] Result<std::string> unescape(std::string_view json_string);

 private:
  template <typename Object, typename Read>
  [[nodiscard]] Result<Object> decode(std::string_view json, std::size_t depth, Read read);

  JsonDom dom_;
};

/// `error` about something inside of `where`.
[[nodiscard]] Error within(std::string_view where, Error error);

}  // namespace berth::codec
