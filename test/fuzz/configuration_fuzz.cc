// No text, however broken, makes the readers of configuration and cluster YAML crash, throw or
// hang.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "berth/app/cluster_feed.h"
#include "berth/app/configuration.h"
#include "berth/codec/yaml.h"

namespace {

constexpr std::size_t kMaxJson = std::size_t{1} << 20;

/// An error says where: file, line and column.
void check_configuration(std::string_view text) {
  const auto configuration = berth::app::parse_configuration(text, "f");
  if (configuration) return;
  const std::string_view message = configuration.error().message;
  if (!message.starts_with("f:") || message.find('\n') != std::string_view::npos) __builtin_trap();
}

/// What YAML becomes is JSON within its limit, and JSON that the cluster's reader can take.
void check_cluster(std::string_view text) {
  const auto json = berth::codec::yaml_to_json(text, kMaxJson);
  if (!json) return;
  if (json->size() > kMaxJson * 2) __builtin_trap();
  (void)berth::app::parse_cluster(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_configuration(text);
  check_cluster(text);
  return 0;
}
