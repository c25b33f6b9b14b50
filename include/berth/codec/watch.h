/// What an API server sends: pages of a list, lines of a watch, and the Status of a refusal.
///
/// Source: Kubernetes API concepts, "Efficient detection of changes" and "Retrieving large results
/// sets in chunks". Only the envelope is read here; the objects in it are views for ObjectDecoder,
/// which validates them one by one, so that one bad object affects only itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/padded_buffer.h"
#include "berth/base/result.h"

namespace berth::codec {

/// One page of a list. Views into the text it was read from.
struct ListPage {
  std::string resource_version;         ///< of the list; the watch begins here
  std::string continue_token;           ///< empty: the last page
  std::vector<std::string_view> items;  ///< JSON values, not validated
};

/// Error: kInvalidArgument, the text is no list. Cost: O(bytes), some gigabytes per second.
[[nodiscard]] Result<ListPage> read_list_page(const PaddedBuffer& json);

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError, kUnknown };

/// One line of a watch. `object` is a view into it: one JSON value, not validated.
struct WatchEvent {
  WatchEventType type = WatchEventType::kUnknown;
  std::string_view object;
};

/// `line` without its newline. Error: kInvalidArgument, the line is no event: nothing that follows
/// on this stream can be trusted. Cost: O(bytes).
[[nodiscard]] Result<WatchEvent> read_watch_event(std::string_view line);

/// The event of a line that has exactly the shape in which Go writes it, without looking at what is
/// in the object: if `object` then decodes as one value, it is what read_watch_event() gives. Else,
/// and when nothing is returned, only read_watch_event() can tell. Cost: none.
[[nodiscard]] std::optional<WatchEvent> guess_watch_event(std::string_view line);

/// What tells one object from another. Empty where the object does not say.
struct ObjectIdentity {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string resource_version;
};

/// Reads it also from objects that cannot be decoded otherwise; never fails.
/// `json` must have kScanSlack readable bytes behind it, as every view of this header has.
[[nodiscard]] ObjectIdentity read_identity(std::string_view json);

/// metav1.Status: why the API server refused.
struct ApiStatus {
  int code = 0;  ///< as HTTP status; 0: not said
  std::string reason;
  std::string message;
};

/// Never fails: what is missing stays empty. Text that is no JSON object becomes the message, cut
/// and printable.
[[nodiscard]] ApiStatus read_api_status(const PaddedBuffer& json);

}  // namespace berth::codec
