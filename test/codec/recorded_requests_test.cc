// What real kube-schedulers 1.34, 1.35 and 1.37 sent, against an independent reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "berth/codec/extender_args.h"
#include "berth/codec/extender_reply.h"
#include "berth/codec/objects.h"
#include "test/codec/recorded.h"
#include "test/codec/spell_out.h"

namespace berth::codec {
namespace {

using test::recorded;
using ::testing::IsEmpty;

std::vector<test::Recorded> filter_and_prioritize() {
  std::vector<test::Recorded> all = recorded("-filter-");
  for (test::Recorded& one : recorded("-prioritize-")) all.push_back(std::move(one));
  EXPECT_GE(all.size(), 90U);
  return all;
}

TEST(RecordedRequests, ReadTheSameOnTheFastAndTheGeneralPath) {
  ExtenderArgsDecoder fast;
  ExtenderArgsDecoder general;
  for (const auto& [path, bytes] : filter_and_prioritize()) {
    const PaddedBuffer body(bytes);
    const auto quick = fast.decode(body, {});
    ASSERT_TRUE(quick) << path << ": " << quick.error().message;
    EXPECT_EQ(test::spell_out(quick), test::spell_out(general.decode_general(body, {}))) << path;
  }
}

TEST(RecordedRequests, GiveThePodAndTheNodesThatAnotherParserSees) {
  ExtenderArgsDecoder decoder;
  for (const auto& [path, bytes] : filter_and_prioritize()) {
    SCOPED_TRACE(path);
    const PaddedBuffer body(bytes);
    const nlohmann::json want = nlohmann::json::parse(bytes);
    const auto result = decoder.decode(body, {});
    ASSERT_TRUE(result) << result.error().message;
    const ExtenderArgs& args = **result;
    const nlohmann::json& pod = want["Pod"];
    EXPECT_EQ(args.pod.name, pod["metadata"]["name"]);
    EXPECT_EQ(args.pod.uid, pod["metadata"]["uid"]);
    EXPECT_EQ(args.pod.containers.size(), pod["spec"]["containers"].size());
    EXPECT_EQ(args.pod.labels.size(), pod["metadata"].value("labels", nlohmann::json{}).size());
    EXPECT_EQ(args.pod.tolerations.size(), pod["spec"]["tolerations"].size());
    EXPECT_THAT(args.pod.invalid_requests, IsEmpty());
    EXPECT_EQ(args.has_names, want["NodeNames"].is_array());
    EXPECT_EQ(args.has_nodes, want["Nodes"].is_object());
    if (args.has_names) {
      ASSERT_EQ(args.requested.size(), want["NodeNames"].size());
      for (std::size_t i = 0; i < args.requested.size(); ++i) {
        EXPECT_EQ(args.requested[i].name, want["NodeNames"][i]);
      }
    } else {
      const nlohmann::json& items = want["Nodes"]["items"];
      ASSERT_EQ(args.requested.size(), items.size());
      ASSERT_EQ(args.nodes.size(), items.size());
      for (std::size_t i = 0; i < items.size(); ++i) {
        EXPECT_EQ(args.requested[i].name, items[i]["metadata"]["name"]);
        EXPECT_EQ(nlohmann::json::parse(args.requested[i].raw_node), items[i]);
        EXPECT_EQ(args.nodes[i].name, args.requested[i].name);
        EXPECT_EQ(args.nodes[i].allocatable.size(), items[i]["status"]["allocatable"].size());
      }
    }
  }
}

TEST(RecordedRequests, AreAnsweredInTheirOwnForm) {
  ExtenderArgsDecoder decoder;
  for (const auto& [path, bytes] : filter_and_prioritize()) {
    SCOPED_TRACE(path);
    const PaddedBuffer body(bytes);
    const auto result = decoder.decode(body, {});
    ASSERT_TRUE(result);
    const ExtenderArgs& args = **result;
    std::vector<FilterAnswer> answers;
    for (std::uint32_t i = 0; i < args.requested.size(); ++i) answers.push_back({i});
    const std::string reply = encode_filter_result(args, answers, {});
    const nlohmann::json got = nlohmann::json::parse(reply);
    const nlohmann::json want = nlohmann::json::parse(bytes);
    EXPECT_EQ(got["NodeNames"], want["NodeNames"]);
    if (args.has_nodes) {
      EXPECT_EQ(got["Nodes"]["items"], want["Nodes"]["items"]);
      for (const RequestedNode& node : args.requested) {
        EXPECT_NE(reply.find(node.raw_node), std::string::npos) << "same bytes";
      }
    } else {
      EXPECT_TRUE(got["Nodes"].is_null());
    }
  }
}

TEST(RecordedRequests, HaveClustersThatReadWithoutProblems) {
  const auto clusters = recorded("cluster-");
  ASSERT_GE(clusters.size(), 12U);
  for (const auto& [path, bytes] : clusters) {
    SCOPED_TRACE(path);
    const auto objects = decode_cluster(PaddedBuffer(bytes));
    ASSERT_TRUE(objects) << objects.error().message;
    EXPECT_THAT(objects->problems, IsEmpty());
    std::size_t nodes = 0;
    std::size_t pods = 0;
    std::size_t device_objects = 0;
    const nlohmann::json want = nlohmann::json::parse(bytes);
    for (const nlohmann::json& item : want["items"]) {
      nodes += item["kind"] == "Node" ? 1U : 0U;
      pods += item["kind"] == "Pod" ? 1U : 0U;
      device_objects += item["apiVersion"] == "resource.k8s.io/v1" ? 1U : 0U;
    }
    EXPECT_EQ(objects->nodes.size(), nodes);
    EXPECT_EQ(objects->pods.size(), pods);
    EXPECT_EQ(objects->devices.classes.size() + objects->devices.slices.size() +
                  objects->devices.claims.size(),
              device_objects);
    EXPECT_EQ(objects->ignored, 0U);
  }
}

TEST(RecordedRequests, UnescapeTheAnnotationsOfTheEscapesPod) {
  const auto requests = recorded("-filter-escapes");
  ASSERT_FALSE(requests.empty());
  ExtenderArgsDecoder decoder;
  for (const auto& [path, bytes] : requests) {
    const PaddedBuffer body(bytes);
    const auto args = decoder.decode(body, {});
    ASSERT_TRUE(args) << path;
    const auto note = (*args)->pod.annotations.find("note");
    ASSERT_TRUE(note) << path;
    EXPECT_EQ(*note, nlohmann::json::parse(bytes)["Pod"]["metadata"]["annotations"]["note"]);
  }
}

TEST(RecordedRequests, WithSmallChangesStillReadTheSameOnBothPaths) {
  // Every prefix, and every byte replaced by ones that matter to JSON: what Go would never send.
  const auto requests = recorded("0001-filter-gpt4o-inference-hard");
  ASSERT_FALSE(requests.empty());
  const std::string& bytes = requests.back().bytes;
  ASSERT_NE(bytes.find("\"Nodes\""), std::string::npos);
  ExtenderArgsDecoder fast;
  ExtenderArgsDecoder general;
  const auto agree = [&](const std::string& text) {
    const PaddedBuffer body(text);
    const std::string want = test::spell_out(general.decode_general(body, {}));
    ASSERT_EQ(test::spell_out(fast.decode(body, {})), want) << text;
  };
  std::string names_form;
  for (const auto& [path, request] : requests) {
    if (path.find("names") != std::string::npos) names_form = request;
  }
  ASSERT_FALSE(names_form.empty());
  for (std::size_t i = 0; i < names_form.size(); i += 3) {
    agree(names_form.substr(0, i));
    for (const char c : {'"', '\\', '{', '}', '[', ']', ',', ' ', '\x01', '\x80', '7'}) {
      std::string changed = names_form;
      changed[i] = c;
      agree(changed);
    }
  }
}

}  // namespace
}  // namespace berth::codec
