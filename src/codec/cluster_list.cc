#include "berth/codec/objects.h"
#include "json_scan.h"
#include "object_core.h"
#include "printable.h"

namespace berth::codec {
namespace {

std::string label(std::string_view space, std::string_view name) {
  return printable(space) + "/" + printable(name);
}
std::string label_of(const model::Pod& pod) { return label(pod.namespace_name, pod.name); }
std::string label_of(const model::ResourceClaim& claim) {
  return label(claim.namespace_name, claim.name);
}
/// Of what belongs to the whole cluster, the name says it, and it is missing.
std::string label_of(const auto&) { return {}; }

/// What can be said of an item that could not be decoded.
std::string label_of_text(std::string_view json) {
  const auto text_of = [](std::string_view object, std::string_view key) {
    const auto value = find_member(object, key);
    return value && value->size() > 2 && value->starts_with('"')
               ? printable(value->substr(1, value->size() - 2))
               : std::string();
  };
  const auto metadata = find_member(json, "metadata");
  if (!metadata) return {};
  const std::string space = text_of(*metadata, "namespace");
  const std::string name = text_of(*metadata, "name");
  return space.empty() ? name : space + "/" + name;
}

/// One document after the other, one item after the other.
class ClusterReader {
 public:
  ClusterReader(std::string_view text, std::size_t max_depth)
      : text_(text), scanner_(text), max_depth_(max_depth) {}

  Result<ClusterObjects> read() {
    while (scanner_.peek() != '\0' || !scanner_.at_end()) {
      if (Status status = document(); !status) return status.error();
      ++documents_;
    }
    if (documents_ == 0) return Error{ErrorCode::kInvalidArgument, "no JSON document"};
    return std::move(objects_);
  }

 private:
  Status document() {
    if (scanner_.peek() != '{') return not_json("want an object");
    const char* begin = scanner_.position();
    std::string_view kind;
    std::optional<std::string_view> items;
    if (Status status = members(kind, items); !status) return status;
    if (items && items->starts_with('[')) return list(*items, item_kind(kind));
    if (kind.ends_with("List\"")) {
      if (items && *items != "null") problem(where("items"), "want an array");
      return ok();
    }
    const std::string_view whole(begin, static_cast<std::size_t>(scanner_.position() - begin));
    return object(whole, kind, where("object"));
  }

  /// Takes the members of the document; what is not an item is validated here.
  Status members(std::string_view& kind, std::optional<std::string_view>& items) {
    if (!scanner_.take('{')) return not_json("want an object");
    if (scanner_.take('}')) return ok();
    do {
      const auto key = scanner_.take_string();
      if (!key) return not_json("want a member's name");
      if (!scanner_.take(':')) return not_json("want a colon");
      const auto value = scanner_.take_value();
      if (!value) return not_json("want a value");
      if (Status status = core_.validate(*key, 1); !status) return status;
      if (*key == "\"kind\"") kind = *value;
      if (*key == "\"items\"") {
        items = *value;
        if (value->starts_with('[')) continue;  // item by item, see list()
      }
      if (Status status = core_.validate(*value, max_depth_); !status) {
        return within(where("member " + printable(*key)), status.error());
      }
    } while (scanner_.take(','));
    return scanner_.take('}') ? ok() : not_json("want a comma or a closing brace");
  }

  /// What an item without a kind is, as the kind's JSON text; empty when only it can say.
  static std::string item_kind(std::string_view list_kind) {
    constexpr std::string_view kSuffix = "List\"";
    if (!list_kind.ends_with(kSuffix) || list_kind == "\"List\"") return {};
    return std::string(list_kind.substr(0, list_kind.size() - kSuffix.size())) + '"';
  }

  Status list(std::string_view items, std::string_view kind_of_items) {
    JsonScanner scanner(items);
    if (!scanner.take('[')) return not_json("want an array");
    if (scanner.take(']')) {
      objects_.has_empty_list = true;
      return ok();
    }
    std::size_t index = 0;
    do {
      const auto item = scanner.take_value();
      const std::string at = where("items[" + std::to_string(index++) + "]");
      if (!item) return not_json(at + ": want a value");
      const std::string_view kind = find_member(*item, "kind").value_or(kind_of_items);
      if (Status status = object(*item, kind, at); !status) return status;
    } while (scanner.take(','));
    return scanner.take(']') ? ok() : not_json("items: want a comma or a closing bracket");
  }

  /// Fails only when the text is not JSON; everything else is a problem of this object alone.
  Status object(std::string_view json, std::string_view kind, const std::string& at) {
    if (kind == "\"Pod\"") return take("Pod", &ObjectCore::pod, objects_.pods, json, at);
    if (kind == "\"Node\"") return take("Node", &ObjectCore::node, objects_.nodes, json, at);
    model::DeviceObjects& devices = objects_.devices;
    if (kind == "\"DeviceClass\"") {
      return take("DeviceClass", &ObjectCore::device_class, devices.classes, json, at);
    }
    if (kind == "\"ResourceSlice\"") {
      return take("ResourceSlice", &ObjectCore::resource_slice, devices.slices, json, at);
    }
    if (kind == "\"ResourceClaim\"") {
      return take("ResourceClaim", &ObjectCore::resource_claim, devices.claims, json, at);
    }
    if (Status status = core_.validate(json, max_depth_); !status) {
      return unless_too_large(status.error(), at);
    }
    if (kind.starts_with('"')) {
      ++objects_.ignored;
    } else {
      problem(at, "want an object with a kind, found " + printable(json));
    }
    return ok();
  }

  template <typename Object>
  Status take(const std::string& kind,
              Result<Object> (ObjectCore::*decode)(std::string_view, std::size_t),
              std::vector<Object>& objects, std::string_view json, const std::string& at) {
    auto object = (core_.*decode)(json, max_depth_);
    if (!object)
      return undecoded(json, at + " " + kind + " " + label_of_text(json), object.error());
    if (object->name.empty()) {
      const std::string label = label_of(*object);
      problem(at + " " + kind + (label.empty() ? "" : " " + label), "metadata.name is missing");
    } else {
      objects.push_back(*std::move(object));
    }
    return ok();
  }

  Status undecoded(std::string_view json, const std::string& at, const Error& error) {
    if (error.code == ErrorCode::kInvalidArgument) {
      if (Status status = core_.validate(json, max_depth_); !status) {
        return within(at, status.error());
      }
    }
    problem(at, error.message);
    return ok();
  }

  Status unless_too_large(const Error& error, const std::string& at) {
    if (error.code != ErrorCode::kTooLarge) return within(at, error);
    problem(at, error.message);
    return ok();
  }

  void problem(const std::string& at, const std::string& what) {
    objects_.problems.push_back(at + ": " + what);
  }

  /// `what`, with the number of its document from the second on.
  [[nodiscard]] std::string where(const std::string& what) const {
    return documents_ == 0 ? what : "document " + std::to_string(documents_ + 1) + " " + what;
  }

  [[nodiscard]] Error not_json(const std::string& why) const {
    const auto at = static_cast<std::size_t>(scanner_.position() - text_.data());
    return Error{ErrorCode::kInvalidArgument,
                 where("not valid JSON at byte " + std::to_string(at) + ": " + why)};
  }

  std::string_view text_;
  JsonScanner scanner_;
  std::size_t max_depth_;
  ObjectCore core_;
  ClusterObjects objects_;
  std::size_t documents_ = 0;
};

}  // namespace

Result<ClusterObjects> decode_cluster(const PaddedBuffer& json, std::size_t max_depth) {
  return ClusterReader(json.view(), max_depth).read();
}

}  // namespace berth::codec
