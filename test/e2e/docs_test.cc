// What README.md and docs/protocol.md show is what berth answers, and docs/operations.md names
// every metric.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/codec/yaml.h"
#include "test/e2e/fixture.h"

namespace berth::e2e {
namespace {

/// The texts of the ```json blocks of a page.
std::vector<std::string> json_blocks(const std::string& page) {
  static constexpr std::string_view kOpen = "```json\n";
  std::vector<std::string> blocks;
  for (std::size_t at = page.find(kOpen); at != page.npos; at = page.find(kOpen, at)) {
    at += kOpen.size();
    const std::size_t end = page.find("```", at);
    blocks.push_back(page.substr(at, end - at));
    at = end;
  }
  return blocks;
}

/// The first line and the rest.
std::pair<std::string, std::string> split_first_line(const std::string& text) {
  const std::size_t end = text.find('\n');
  return {text.substr(0, end), text.substr(end + 1)};
}

class Docs : public EndToEnd {
 protected:
  void SetUp() override { start_on_the_story(); }
  static std::string page(const std::string& name) {
    return harness::read_file(std::string(BERTH_SOURCE_DIR "/docs/") + name);
  }
};

TEST_F(Docs, ProtocolExamplesAreAnsweredAsShown) {
  const auto blocks = json_blocks(page("protocol.md"));
  ASSERT_GE(blocks.size(), 8U);
  ASSERT_EQ(blocks.size() % 2, 0U);
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    const auto [request_line, request] = split_first_line(blocks[i]);
    const auto [status, answer] = split_first_line(blocks[i + 1]);
    ASSERT_EQ(request_line.rfind("POST ", 0), 0U) << request_line;
    const auto reply = post(request_line.substr(5), request);
    EXPECT_EQ(std::to_string(reply.status), status) << request;
    EXPECT_EQ(nlohmann::json::parse(reply.body), nlohmann::json::parse(answer)) << reply.body;
  }
}

TEST_F(Docs, OperationsNamesEveryMetric) {
  const std::string operations = page("operations.md");
  const std::string metrics = admin("/metrics").body;
  static constexpr std::string_view kType = "# TYPE ";
  std::set<std::string> names;
  for (std::size_t at = metrics.find(kType); at != metrics.npos; at = metrics.find(kType, at)) {
    at += kType.size();
    names.insert(metrics.substr(at, metrics.find(' ', at) - at));
  }
  ASSERT_GE(names.size(), 5U);
  for (const std::string& name : names) {
    // A family with a common start is written once in full, then by its ends: `_nodes`, `_pods`.
    const std::string end = "`_" + name.substr(name.find('_', name.find('_') + 1) + 1) + "`";
    EXPECT_TRUE(operations.find("`" + name + "`") != operations.npos ||
                operations.find(end) != operations.npos)
        << name;
  }
}

TEST_F(Docs, TheRequestOfTheReadmeWorksOnAnyCluster) {
  const auto cluster =
      codec::yaml_to_json(harness::read_file(std::string(kStory) + "cluster.yaml"), 1 << 20);
  ASSERT_TRUE(cluster) << cluster.error().message;
  folder_.write("cluster.json", cluster->view());
  const std::string readme = harness::read_file(BERTH_SOURCE_DIR "/README.md");
  const std::size_t begin = readme.find("\njq '");
  ASSERT_NE(begin, readme.npos);
  const std::string_view last = "> request.json\n";
  const std::string command =
      readme.substr(begin, readme.find(last, begin) - begin) + "> request.json";
  ASSERT_EQ(std::system(("cd '" + folder_.path("") + "' && " + command.substr(1)).c_str()), 0);
  const std::string request = harness::read_file(folder_.path("request.json"));
  EXPECT_EQ(nlohmann::json::parse(request)["NodeNames"].size(), 12U);
  EXPECT_THAT(filter(request).passes,
              ::testing::UnorderedElementsAre("node-3", "node-11", "node-12"));
}

}  // namespace
}  // namespace berth::e2e
