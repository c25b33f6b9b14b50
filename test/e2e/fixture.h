/// A berth that runs for one test.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "test/harness/http_client.h"
#include "test/harness/program.h"
#include "test/harness/strict_reader.h"
#include "test/harness/temporary_folder.h"

namespace berth::e2e {

inline constexpr const char* kStory = BERTH_SOURCE_DIR "/deploy/story/";
inline constexpr const char* kStoryNow = "2026-11-30T12:00:00Z";

/// Asks `condition` again and again until it holds; false when it never did. Every question is a
/// request to the program or a look at it, so that nothing here waits for the clock.
template <typename Condition>
[[nodiscard]] bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + harness::kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

/// A value of the metrics page, or -1. `name` with its labels, as the page writes it.
[[nodiscard]] double metric(const std::string& page, const std::string& name);

/// A List of one node with `gpus` free GPUs and the GPU label.
[[nodiscard]] std::string one_node_cluster(int gpus);
/// ExtenderArgs of a pod that asks for one GPU, with these names (as JSON: "a","b").
[[nodiscard]] std::string ask_for_a_gpu(const std::string& names);

class EndToEnd : public ::testing::Test {
 protected:
  /// Starts `berth serve ARGUMENTS` and waits until it listens.
  void start(std::vector<std::string> arguments);
  /// The same on the cluster of the story at its moment.
  void start_on_the_story(const std::vector<std::string>& more = {});
  /// A berth that is to end by itself: its exit code, after its complaint went to stderr.
  [[nodiscard]] int run_to_its_end(std::vector<std::string> arguments, std::string& complaint);

  /// Stops a berth that still runs and expects it to end well.
  void TearDown() override;

  [[nodiscard]] harness::HttpReply post(std::string_view path, std::string_view body) const {
    return harness::post(berth_->port(), path, body);
  }
  [[nodiscard]] harness::HttpReply admin(std::string_view path) const {
    return harness::get(berth_->admin_port(), path);
  }
  /// Posts and reads strictly; a violation fails the test.
  harness::FilterReading filter(const std::string& body) const;
  harness::PriorityReading prioritize(
      const std::string& body,
      harness::ExpectedHosts expected = harness::ExpectedHosts::kEveryNode) const;

  harness::TemporaryFolder folder_;
  std::unique_ptr<harness::Berth> berth_;
};

}  // namespace berth::e2e
