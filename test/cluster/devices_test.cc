// GPUs by DRA: what is counted, from which objects, whatever their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "berth/cluster/state.h"
#include "test/support/builders.h"
#include "test/support/naive_devices.h"
#include "test/support/random_case.h"

namespace berth::cluster {
namespace {

using std::chrono::minutes;
using test_support::claim;
using test_support::device_class;
using test_support::kNoon;
using test_support::node;
using test_support::pod;
using test_support::slice;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kGpu = "nvidia.com/gpu";

/// What a snapshot says about one resource of one node.
struct Seen {
  bool delegated = false;
  std::int64_t allocatable = 0;
  std::int64_t free = 0;
  float held_fraction = 0;
  bool has_gpus = false;
  friend bool operator==(const Seen&, const Seen&) = default;
};
void PrintTo(const Seen& seen, std::ostream* out) {
  *out << (seen.delegated ? "delegated " : "") << seen.free << " of " << seen.allocatable
       << " free, " << seen.held_fraction << (seen.has_gpus ? ", GPU node" : "");
}
Seen counted(std::int64_t devices, std::int64_t allocated) {
  return {true, devices, devices - allocated,
          static_cast<float>(allocated) * (1.0F / static_cast<float>(devices)), true};
}
const Seen kLeftToKubeScheduler{true, 0, 0, 0, true};
const Seen kNothing{};

Seen look(const Snapshot& snapshot, std::string_view name, std::string_view resource = kGpu) {
  const Topology& topology = snapshot.topology();
  const Row row = *topology.find(name);
  Seen seen;
  seen.has_gpus = topology.gpus_allocatable().contains(row);
  const auto column = topology.column(resource);
  if (!column) return seen;
  const RowSet* delegated = topology.delegated(*column);
  seen.delegated = delegated != nullptr && delegated->contains(row);
  seen.allocatable = topology.allocatable(*column)[row.index];
  seen.free = snapshot.free(*column)[row.index];
  seen.held_fraction = snapshot.held_fraction(*column)[row.index];
  EXPECT_EQ(topology.rows_with(*column).contains(row), seen.allocatable > 0);
  return seen;
}

class DevicesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"d1", "d2"}) state_.upsert_node(node(name).cpu("8"), kNoon);
    state_.upsert_device_class(device_class("gpu", kGpu));
  }
  Seen look(std::string_view name, std::string_view resource = kGpu) {
    return cluster::look(*state_.snapshot(kNoon), name, resource);
  }
  ClusterState state_{model::GpuPolicy()};
};

TEST_F(DevicesTest, CountAsAllocatableAndClaimsHoldThem) {
  state_.upsert_resource_slice(slice("d1", 2));
  EXPECT_EQ(look("d1"), counted(2, 0));
  EXPECT_EQ(look("d2"), kNothing);
  state_.upsert_resource_claim(claim("c", "d1", {"gpu-1"}));
  EXPECT_EQ(look("d1"), counted(2, 1));
  state_.remove_resource_claim("uid-c");
  EXPECT_EQ(look("d1"), counted(2, 0));
  state_.remove_resource_slice("d1-slice");
  EXPECT_EQ(look("d1"), kNothing);
}

TEST_F(DevicesTest, AreNotHeldByPodsBesidesTheirClaims) {
  state_.upsert_resource_slice(slice("d1", 2));
  state_.upsert_pod(pod("p").on("d1").gpus(1).cpu("3"));
  EXPECT_EQ(look("d1"), counted(2, 0));
  EXPECT_EQ(look("d1", "cpu").free, 5000);
  state_.upsert_resource_claim(claim("c", "d1", {"gpu-0"}));
  EXPECT_EQ(look("d1"), counted(2, 1));
}

TEST_F(DevicesTest, DoNotCountOnANodeWithAPlugin) {
  state_.upsert_node(node("d1").gpus(4), kNoon);
  state_.upsert_resource_slice(slice("d1", 2));
  state_.upsert_resource_claim(claim("c", "d1", {"gpu-0"}));
  state_.upsert_pod(pod("p").on("d1").gpus(1));
  EXPECT_EQ(look("d1"), (Seen{false, 4, 3, 0.25F, true}));
  // The plugin is gone, and kube-scheduler turns to the devices.
  state_.upsert_node(node("d1").gpus(0), kNoon);
  EXPECT_EQ(look("d1"), counted(2, 1));
}

TEST_F(DevicesTest, AreOneForAClaimThatHoldsItTwiceAndForTwoClaims) {
  state_.upsert_resource_slice(slice("d1", 4));
  state_.upsert_resource_claim(claim("a", "d1", {"gpu-0", "gpu-0"}));
  state_.upsert_resource_claim(claim("b", "d1", {"gpu-0"}));
  EXPECT_EQ(look("d1"), counted(4, 1));
  state_.remove_resource_claim("uid-a");
  EXPECT_EQ(look("d1"), counted(4, 1));
  state_.remove_resource_claim("uid-b");
  EXPECT_EQ(look("d1"), counted(4, 0));
}

TEST_F(DevicesTest, AreFreeAgainWhenAClaimIsDeallocated) {
  state_.upsert_resource_slice(slice("d1", 2));
  state_.upsert_resource_claim(claim("c", "d1", {"gpu-0", "gpu-1"}));
  EXPECT_EQ(look("d1"), counted(2, 2));
  state_.upsert_resource_claim(claim("c", "d1", {}));
  EXPECT_EQ(look("d1"), counted(2, 0));
}

TEST_F(DevicesTest, OfAnUnknownNameAreHeldInVain) {
  state_.upsert_resource_slice(slice("d1", 2));
  state_.upsert_resource_claim(claim("a", "d1", {"gpu-7"}));
  state_.upsert_resource_claim(claim("b", "elsewhere", {"gpu-0"}));
  state_.upsert_resource_claim(claim("c", "d1", {"gpu-0"}, "other.driver"));
  EXPECT_EQ(look("d1"), counted(2, 0));
}

TEST_F(DevicesTest, CountInTheNewestGenerationOnly) {
  state_.upsert_resource_slice(slice("d1", 2).name("old"));
  state_.upsert_resource_slice(slice("d1", 3).name("new").generation(2));
  EXPECT_EQ(look("d1"), counted(3, 0));
  state_.remove_resource_slice("old");
  EXPECT_EQ(look("d1"), counted(3, 0));
}

TEST_F(DevicesTest, OfAPoolWithoutAllItsSlicesAreLeftToKubeScheduler) {
  const auto half = [](const char* name, const char* device) {
    return slice("d1", 0).name(name).device(device).of(2).build();
  };
  state_.upsert_resource_slice(half("a", "gpu-0"));
  EXPECT_EQ(look("d1"), kLeftToKubeScheduler);
  state_.upsert_resource_slice(half("b", "gpu-1"));
  EXPECT_EQ(look("d1"), counted(2, 0));
  state_.upsert_resource_slice(half("b", "gpu-0"));
  EXPECT_EQ(look("d1"), kLeftToKubeScheduler) << "one name twice";
}

TEST_F(DevicesTest, ThatShareACardAreLeftToKubeScheduler) {
  state_.upsert_resource_slice(slice("d1", 1).device("half-0", {}, false));
  EXPECT_EQ(look("d1"), (Seen{true, 1, 1, 0, true}));
  state_.upsert_resource_slice(slice("d1", 0).device("half-0", {}, false));
  EXPECT_EQ(look("d1"), kLeftToKubeScheduler);
}

TEST_F(DevicesTest, MayNameTheirNodesOneByOne) {
  state_.upsert_resource_slice(
      slice("fabric", 0).on("").device("a", "d1").device("b", "d2").device("c", "d2").build());
  state_.upsert_resource_claim(claim("c", "fabric", {"c"}));
  EXPECT_EQ(look("d1"), counted(1, 0));
  EXPECT_EQ(look("d2"), counted(2, 1));
}

TEST_F(DevicesTest, OfNoNodeLeaveEveryNodeToKubeScheduler) {
  state_.upsert_node(node("p1").gpus(4), kNoon);
  state_.upsert_resource_slice(slice("d2", 2));
  state_.upsert_resource_slice(slice("fabric", 3).on(""));
  EXPECT_EQ(look("d1"), (Seen{true, 0, 0, 0, false})) << "not a GPU node for that";
  EXPECT_EQ(look("d2"), counted(2, 0));
  EXPECT_EQ(look("p1"), (Seen{false, 4, 4, 0, true}));
  state_.remove_resource_slice("fabric-slice");
  EXPECT_EQ(look("d1"), kNothing);
}

TEST_F(DevicesTest, OfAClassThatCannotBeCountedAreLeftToKubeScheduler) {
  state_.upsert_resource_slice(slice("d1", 2));
  state_.upsert_resource_slice(slice("d2", 2).driver("nic.example.com"));
  auto narrow = device_class("gpu", kGpu);
  narrow.selectors = {"device.driver == 'gpu.nvidia.com' && device.attributes['x'].y == 'z'"};
  state_.upsert_device_class(narrow);
  EXPECT_EQ(look("d1"), kLeftToKubeScheduler);
  EXPECT_EQ(look("d2"), kNothing) << "another driver";
  EXPECT_THAT(state_.device_problems(), ElementsAre(HasSubstr("DeviceClass gpu: ")));

  narrow.selectors = {"device.attributes['x'].y == 'z'"};
  state_.upsert_device_class(narrow);
  EXPECT_EQ(look("d1"), kLeftToKubeScheduler);
  EXPECT_EQ(look("d2"), kLeftToKubeScheduler) << "any driver may be meant";

  state_.upsert_device_class(device_class("gpu", kGpu));
  EXPECT_EQ(look("d1"), counted(2, 0));
  EXPECT_THAT(state_.device_problems(), IsEmpty());
}

TEST_F(DevicesTest, OfOtherResourcesAreNoGpusAndNoProblem) {
  auto fpga = device_class("fpga", "example.com/fpga", "fpga.example.com");
  state_.upsert_device_class(fpga);
  state_.upsert_resource_slice(slice("d1", 2).driver("fpga.example.com"));
  EXPECT_EQ(look("d1", "example.com/fpga"), (Seen{true, 2, 2, 0, false}));
  fpga.selectors = {"true"};
  state_.upsert_device_class(fpga);
  EXPECT_EQ(look("d1", "example.com/fpga"), (Seen{true, 0, 0, 0, false}));
  EXPECT_THAT(state_.device_problems(), IsEmpty());
}

TEST_F(DevicesTest, AreServedUnderTheNameOfTheirClassToo) {
  state_.upsert_resource_slice(slice("d1", 2));
  state_.upsert_resource_claim(claim("c", "d1", {"gpu-0"}));
  EXPECT_EQ(look("d1", "deviceclass.resource.kubernetes.io/gpu"), counted(2, 1));
  state_.remove_device_class("gpu");
  EXPECT_EQ(look("d1"), kNothing);
  EXPECT_EQ(look("d1", "deviceclass.resource.kubernetes.io/gpu"), kNothing);
}

TEST_F(DevicesTest, FollowTheNewestClassOfAResource) {
  state_.upsert_resource_slice(slice("d1", 2));
  auto other = device_class("zzz", kGpu, "other.driver");
  other.creation_time = kNoon;
  state_.upsert_device_class(other);
  EXPECT_EQ(look("d1"), kNothing) << "newer than one whose time is not known";
  auto first = device_class("gpu", kGpu);
  first.creation_time = kNoon;
  state_.upsert_device_class(first);
  EXPECT_EQ(look("d1"), counted(2, 0)) << "equally old: the lower name";
  first.creation_time = kNoon - minutes(1);
  state_.upsert_device_class(first);
  EXPECT_EQ(look("d1"), kNothing);
  state_.remove_device_class("zzz");
  EXPECT_EQ(look("d1"), counted(2, 0));
}

TEST_F(DevicesTest, NeverStandForCpu) {
  state_.upsert_device_class(device_class("odd", "cpu"));
  state_.upsert_resource_slice(slice("d1", 2));
  EXPECT_EQ(look("d1", "cpu"), (Seen{false, 8000, 8000, 0, true}));
  EXPECT_EQ(look("d2", "cpu"), (Seen{false, 8000, 8000, 0, false}));
}

TEST_F(DevicesTest, GiveTheirNodeItsPlaceInTheOrder) {
  state_.upsert_node(node("p1").gpus(1), kNoon);
  state_.upsert_node(node("p3").gpus(3), kNoon);
  state_.upsert_resource_slice(slice("d1", 2));
  const auto snapshot = state_.snapshot(kNoon);
  std::vector<std::string> names;
  for (std::uint32_t row = 0; row < snapshot->rows(); ++row) {
    names.push_back(snapshot->topology().node(Row{row}).name);
  }
  EXPECT_THAT(names, ElementsAre("d2", "p1", "d1", "p3"));
}

TEST_F(DevicesTest, IgnoreOlderSights) {
  auto newer = slice("d1", 2).build();
  newer.resource_version = "10";
  auto older = slice("d1", 1).build();
  older.resource_version = "9";
  state_.upsert_resource_slice(newer);
  state_.upsert_resource_slice(older);
  EXPECT_EQ(look("d1"), counted(2, 0));
  state_.begin_resource_slices();  // a list counts whatever its version
  state_.upsert_resource_slice(older);
  state_.end_resource_slices();
  EXPECT_EQ(look("d1"), counted(1, 0));
}

TEST_F(DevicesTest, RemoveOnlyTheObjectOfThatUid) {
  state_.upsert_resource_slice(slice("d1", 2));
  state_.remove_resource_slice("d1-slice", "another");
  state_.remove_device_class("gpu", "another");
  EXPECT_EQ(look("d1"), counted(2, 0));
  state_.remove_device_class("gpu", "uid-gpu");
  EXPECT_EQ(look("d1"), kNothing);
  state_.upsert_device_class(device_class("gpu", kGpu));
  state_.remove_resource_slice("d1-slice", "uid-d1-slice");
  EXPECT_EQ(look("d1"), kNothing);
}

TEST_F(DevicesTest, KeepOnlyWhatAListHas) {
  state_.upsert_resource_slice(slice("d1", 2));
  state_.upsert_resource_slice(slice("d2", 2));
  state_.upsert_resource_claim(claim("a", "d1", {"gpu-0"}));
  state_.upsert_resource_claim(claim("b", "d1", {"gpu-1"}));
  state_.begin_resource_claims();
  state_.upsert_resource_claim(claim("b", "d1", {"gpu-1"}));
  state_.end_resource_claims();
  EXPECT_EQ(look("d1"), counted(2, 1));
  state_.begin_resource_slices();
  state_.upsert_resource_slice(slice("d1", 3));
  state_.end_resource_slices();
  EXPECT_EQ(look("d1"), counted(3, 1));
  EXPECT_EQ(look("d2"), kNothing);
  state_.begin_device_classes();
  state_.end_device_classes();
  EXPECT_EQ(look("d1"), kNothing);
}

TEST_F(DevicesTest, AreReplacedWithTheCluster) {
  state_.upsert_resource_slice(slice("d1", 2));
  model::DeviceObjects objects;
  objects.classes = {device_class("gpu", kGpu)};
  objects.slices = {slice("d2", 4)};
  objects.claims = {claim("c", "d2", {"gpu-3"})};
  const std::vector<model::Node> nodes = {node("d1"), node("d2")};
  state_.replace(nodes, {}, kNoon, objects);
  EXPECT_EQ(look("d1"), kNothing);
  EXPECT_EQ(look("d2"), counted(4, 1));
  state_.replace(nodes, {}, kNoon);
  EXPECT_EQ(look("d2"), kNothing);
}

TEST_F(DevicesTest, KnowAClaimWithoutUidByItsName) {
  state_.upsert_resource_slice(slice("d1", 2));
  auto manifest = claim("c", "d1", {"gpu-0"});
  manifest.uid.clear();
  state_.upsert_resource_claim(manifest);
  state_.upsert_resource_claim(manifest);
  EXPECT_EQ(look("d1"), counted(2, 1));
  state_.remove_resource_claim("default/c");
  EXPECT_EQ(look("d1"), counted(2, 0));
}

TEST_F(DevicesTest, ShareTheTopologyUntilAnOfferChanges) {
  state_.upsert_resource_slice(slice("d1", 2));
  const auto first = state_.snapshot(kNoon);
  auto heartbeat = slice("d1", 2).build();
  heartbeat.resource_version = "2";
  state_.upsert_resource_slice(heartbeat);
  state_.upsert_device_class(device_class("gpu", kGpu));
  state_.upsert_resource_claim(claim("c", "d1", {"gpu-0"}));
  const auto second = state_.snapshot(kNoon);
  EXPECT_EQ(&first->topology(), &second->topology());
  EXPECT_EQ(cluster::look(*first, "d1"), counted(2, 0));
  EXPECT_EQ(cluster::look(*second, "d1"), counted(2, 1));
  state_.upsert_resource_slice(slice("d1", 1));
  EXPECT_NE(&second->topology(), &state_.snapshot(kNoon)->topology());
}

TEST_F(DevicesTest, AppearAfterTheirNodeWasSeenWithout) {
  const auto appeared = [this](Time now) {
    const auto snapshot = state_.snapshot(now);
    return snapshot->topology().history(*snapshot->topology().find("d1")).gpus_appeared;
  };
  EXPECT_EQ(appeared(kNoon), std::nullopt);
  state_.upsert_resource_slice(slice("d1", 2));
  EXPECT_EQ(appeared(kNoon + minutes(1)), kNoon + minutes(1));
  // One more device, and a pool that is being replaced: there have been GPUs all along.
  state_.upsert_resource_slice(slice("d1", 3));
  EXPECT_EQ(appeared(kNoon + minutes(2)), kNoon + minutes(1));
  state_.upsert_resource_slice(slice("d1", 3).generation(2).of(2));
  EXPECT_EQ(appeared(kNoon + minutes(3)), kNoon + minutes(1));
  // A plugin takes over.
  state_.upsert_node(node("d1").gpus(3), kNoon + minutes(4));
  EXPECT_EQ(appeared(kNoon + minutes(4)), kNoon + minutes(1));
}

TEST_F(DevicesTest, AreNotNewOnANodeThatIsSeenTogetherWithThem) {
  state_.upsert_resource_slice(slice("d1", 2));  // before the first snapshot
  state_.upsert_resource_slice(slice("late", 2));
  (void)state_.snapshot(kNoon);
  state_.upsert_node(node("late"), kNoon + minutes(1));
  const auto snapshot = state_.snapshot(kNoon + minutes(1));
  for (const char* name : {"d1", "late"}) {
    EXPECT_EQ(cluster::look(*snapshot, name), counted(2, 0));
    EXPECT_EQ(snapshot->topology().history(*snapshot->topology().find(name)),
              model::ReadinessHistory());
  }
}

TEST_F(DevicesTest, StayWithTheNameInTheFullNodeForm) {
  state_.upsert_resource_slice(slice("d1", 2));
  state_.upsert_resource_slice(slice("unseen", 4));
  state_.upsert_resource_slice(slice("fabric", 1).on(""));
  state_.upsert_resource_claim(claim("c", "unseen", {"gpu-0"}));
  const auto base = state_.snapshot(kNoon);
  const auto snapshot = Snapshot::with_nodes(
      *base, {node("d1"), node("unseen").cpu("1"), node("d2").gpus(1), node("bare")});
  EXPECT_EQ(cluster::look(*snapshot, "d1"), counted(2, 0));
  EXPECT_EQ(cluster::look(*snapshot, "unseen"), counted(4, 1));
  EXPECT_EQ(cluster::look(*snapshot, "d2"), (Seen{false, 1, 1, 0, true}));
  EXPECT_EQ(cluster::look(*snapshot, "bare"), (Seen{true, 0, 0, 0, false}));
  ASSERT_NE(base->devices("unseen"), nullptr);
  EXPECT_THAT(base->devices("unseen")->allocated,
              ElementsAre(HeldResource{"deviceclass.resource.kubernetes.io/gpu", 1},
                          HeldResource{kGpu, 1}));
  EXPECT_EQ(base->devices("d2"), nullptr);
  EXPECT_EQ(base->devices("nowhere"), nullptr);
}

/// The twin's view of a node without a plugin.
Seen look_slowly(const model::DeviceObjects& objects, const std::string& name,
                 const std::string& resource) {
  const auto found = test_support::naive_devices(objects, name, resource);
  Seen seen;
  seen.delegated = found.devices > 0 || found.uncounted || found.anywhere;
  seen.allocatable = found.devices;
  seen.free = found.devices - found.allocated;
  if (found.devices > 0) seen.held_fraction = counted(found.devices, found.allocated).held_fraction;
  for (const auto& each : test_support::device_resources(objects)) {
    const auto any = test_support::naive_devices(objects, name, each);
    const bool here = any.devices > 0 || any.uncounted;
    seen.has_gpus |= here && model::is_gpu_resource(model::GpuPolicy(), each);
  }
  return seen;
}

/// Everything that leads from nothing to `objects` and `nodes`: what is there, other sights of it
/// before, and what comes and goes; in any order but that of one object's own sights.
std::vector<std::function<void(ClusterState&)>> shuffled_events(
    const model::DeviceObjects& objects, const model::DeviceObjects& others,
    const std::vector<model::Node>& nodes, std::mt19937_64& random) {
  using Event = std::function<void(ClusterState&)>;
  std::vector<std::vector<Event>> stories;
  const auto tell = [&](const auto& final_ones, const auto& other_ones, auto upsert, auto remove) {
    for (std::size_t i = 0; i < std::max(final_ones.size(), other_ones.size()); ++i) {
      auto& story = stories.emplace_back();
      if (i < other_ones.size() && random() % 2 == 0) {
        story.push_back([=, each = other_ones[i]](ClusterState& state) { upsert(state, each); });
      }
      if (i < final_ones.size()) {
        story.push_back([=, each = final_ones[i]](ClusterState& state) { upsert(state, each); });
      } else {
        story.push_back([=, each = other_ones[i]](ClusterState& state) { remove(state, each); });
      }
    }
  };
  tell(
      objects.classes, others.classes,
      [](ClusterState& state, const auto& each) { state.upsert_device_class(each); },
      [](ClusterState& state, const auto& each) { state.remove_device_class(each.name); });
  tell(
      objects.slices, others.slices,
      [](ClusterState& state, const auto& each) { state.upsert_resource_slice(each); },
      [](ClusterState& state, const auto& each) { state.remove_resource_slice(each.name); });
  tell(
      objects.claims, others.claims,
      [](ClusterState& state, const auto& each) { state.upsert_resource_claim(each); },
      [](ClusterState& state, const auto& each) { state.remove_resource_claim(each.uid); });
  for (const auto& each : nodes) {
    stories.push_back({[each](ClusterState& state) { state.upsert_node(each, kNoon); }});
    stories.push_back({[](ClusterState& state) { (void)state.snapshot(kNoon); }});
  }
  std::vector<Event> events;
  std::vector<std::size_t> told(stories.size());
  std::vector<std::size_t> turns;
  for (std::size_t i = 0; i < stories.size(); ++i) {
    turns.insert(turns.end(), stories[i].size(), i);
  }
  std::shuffle(turns.begin(), turns.end(), random);
  for (const auto i : turns) events.push_back(stories[i][told[i]++]);
  return events;
}

TEST(Devices, AgreeWithCountingFromScratchWhateverTheOrder) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    test_support::SeededChoices choices(seed);
    std::mt19937_64 random(seed);
    const std::size_t count = 1 + choices.below(6);
    const auto objects = test_support::random_devices(choices, count);
    const auto others = test_support::random_devices(choices, count);
    std::vector<model::Node> nodes;
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(node("node-" + std::to_string(i)));

    ClusterState state((model::GpuPolicy()));
    for (const auto& event : shuffled_events(objects, others, nodes, random)) event(state);
    const auto snapshot = state.snapshot(kNoon);
    const auto again = Snapshot::with_nodes(*snapshot, nodes);
    for (const auto& each : nodes) {
      for (const auto& resource : test_support::device_resources(objects)) {
        const Seen want = look_slowly(objects, each.name, resource);
        ASSERT_EQ(look(*snapshot, each.name, resource), want)
            << "seed " << seed << ", " << each.name << ", " << resource;
        ASSERT_EQ(look(*again, each.name, resource), want)
            << "full nodes, seed " << seed << ", " << each.name << ", " << resource;
      }
    }
  }
}

}  // namespace
}  // namespace berth::cluster
