// Any bytes as each kind of object and as a saved cluster: refused or read, and the decoders go on
// working.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "berth/codec/objects.h"

namespace {

using namespace std::string_view_literals;

void require(bool held) {
  if (!held) __builtin_trap();
}

template <typename T>
void require_message(const berth::Result<T>& result) {
  require(result || (!result.error().message.empty() && result.error().message.size() < 4096));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const berth::PaddedBuffer text({reinterpret_cast<const char*>(data), size});
  berth::codec::ObjectDecoder decoder;
  const auto pod = decoder.pod(text.view());
  require_message(pod);
  const auto node = decoder.node(text.view());
  require_message(node);
  const auto device_class = decoder.device_class(text.view());
  require_message(device_class);
  if (device_class) {
    // A rule that is complete without a driver would count the devices of everybody.
    const auto rule = berth::model::driver_rule(*device_class);
    require(!rule.complete || !rule.driver.empty());
  }
  require_message(decoder.resource_slice(text.view()));
  require_message(decoder.resource_claim(text.view()));
  if (pod) require(decoder.pod(text.view()).has_value());

  const auto cluster = berth::codec::decode_cluster(text);
  require_message(cluster);
  if (cluster) {
    for (const auto& one : cluster->nodes) require(!one.name.empty());
    for (const auto& one : cluster->pods) require(!one.name.empty());
    for (const auto& one : cluster->devices.classes) require(!one.name.empty());
    for (const auto& one : cluster->devices.slices) require(!one.name.empty());
    for (const auto& one : cluster->devices.claims) require(!one.name.empty());
  }
  const berth::PaddedBuffer good(R"({"metadata":{"name":"p"}})"sv);
  require(decoder.pod(good.view()).has_value());
  return 0;
}
