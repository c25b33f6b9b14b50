// The envelope of a request: forms, spelling, limits, and what is refused by which name.
#include "berth/codec/extender_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "test/codec/spell_out.h"

namespace berth::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Decodes on both paths, which must agree in everything.
class ExtenderArgsTest : public ::testing::Test {
 protected:
  Result<const ExtenderArgs*> decode(std::string_view text, const ExtenderLimits& limits = {}) {
    body_ = PaddedBuffer(text);
    auto general = general_.decode_general(body_, limits);
    auto fast = fast_.decode(body_, limits);
    EXPECT_EQ(test::spell_out(fast), test::spell_out(general));
    return fast;
  }
  const ExtenderArgs& args_of(std::string_view text, const ExtenderLimits& limits = {}) {
    static const ExtenderArgs kNothing;
    const auto args = decode(text, limits);
    EXPECT_TRUE(args) << args.error().message;
    return args ? **args : kNothing;
  }
  Error error_of(std::string_view text, const ExtenderLimits& limits = {}) {
    const auto args = decode(text, limits);
    EXPECT_FALSE(args) << text;
    return args ? Error{} : args.error();
  }
  static std::vector<std::string> names_of(const ExtenderArgs& args) {
    std::vector<std::string> names;
    for (const RequestedNode& node : args.requested) names.emplace_back(node.name);
    return names;
  }

  PaddedBuffer body_;
  ExtenderArgsDecoder fast_;
  ExtenderArgsDecoder general_;
};

struct NamesCase {
  const char* name;
  const char* body;
  std::vector<std::string> names;
};
class NamesForm : public ExtenderArgsTest, public ::testing::WithParamInterface<NamesCase> {};

TEST_P(NamesForm, IsRead) {
  const ExtenderArgs& args = args_of(GetParam().body);
  EXPECT_TRUE(args.has_names);
  EXPECT_FALSE(args.has_nodes);
  EXPECT_EQ(args.pod.name, "p");
  EXPECT_EQ(names_of(args), GetParam().names);
}
const char* const kGoBody =
    R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["a","b"]})";
INSTANTIATE_TEST_SUITE_P(
    Spelling, NamesForm,
    ::testing::Values(
        NamesCase{"Go", kGoBody, {"a", "b"}},
        NamesCase{"Empty", R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":[]})", {}},
        NamesCase{
            "One", R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["a"]})", {"a"}},
        NamesCase{"RepeatsKept",
                  R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["a","a"]})",
                  {"a", "a"}},
        NamesCase{"EmptyName",
                  R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["","b"]})",
                  {"", "b"}},
        NamesCase{
            "LowerCase", R"({"pod":{"metadata":{"name":"p"}},"nodenames":["a","b"]})", {"a", "b"}},
        NamesCase{"CamelCase",
                  R"({"pOD":{"metadata":{"name":"p"}},"NODES":null,"nodeNames":["a","b"]})",
                  {"a", "b"}},
        NamesCase{
            "AnyOrder", R"({"NodeNames":["a","b"],"Pod":{"metadata":{"name":"p"}}})", {"a", "b"}},
        NamesCase{"UnknownKeys",
                  R"({"x":{"NodeNames":[1]},"Pod":{"metadata":{"name":"p"}},"y":[1,{"z":1e400}],)"
                  R"("NodeNames":["a","b"]})",
                  {"a", "b"}},
        NamesCase{"WhiteSpace",
                  " \r\n{ \"Pod\" : {\"metadata\":{\"name\":\"p\"}} ,\t\"NodeNames\" : [ \"a\" , "
                  "\"b\" ] } \n",
                  {"a", "b"}},
        NamesCase{"EscapedKey",
                  R"({"P\u006fd":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["a","b"]})",
                  {"a", "b"}},
        NamesCase{
            "EscapedNames",
            R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["\u0061","b\"\\"]})",
            {"a", "b\"\\"}},
        NamesCase{"NamesBeyondAscii",
                  R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["é","中😀"]})",
                  {"é", "中😀"}},
        NamesCase{"LastKeyWins",
                  R"({"Pod":{"metadata":{"name":"x"}},"nodenames":["x"],"Pod":{"metadata":)"
                  R"({"name":"p"}},"NodeNames":["a","b"]})",
                  {"a", "b"}},
        NamesCase{
            "LastNodesNull",
            R"({"Pod":{"metadata":{"name":"p"}},"Nodes":{"items":[{"metadata":{"name":"z"}}]},)"
            R"("nodes":null,"NodeNames":["a"]})",
            {"a"}},
        NamesCase{"SeparatorInsideThePod",
                  R"({"Pod":{"x":{"y":{},"Nodes":null,"NodeNames":["z"]},"metadata":{"name":"p"}},)"
                  R"("Nodes":null,"NodeNames":["a","b"]})",
                  {"a", "b"}},
        NamesCase{
            "SeparatorInsideAString",
            R"({"Pod":{"x":"},\"Nodes\":null,\"NodeNames\":[\"z\"]}","metadata":{"name":"p"}},)"
            R"("Nodes":null,"NodeNames":["a"]})",
            {"a"}},
        NamesCase{"LongNames",
                  R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":)"
                  R"(["gpu-node-with-a-name-of-more-than-thirty-two-bytes.example.com","b"]})",
                  {"gpu-node-with-a-name-of-more-than-thirty-two-bytes.example.com", "b"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(ExtenderArgsTest, GivesNamesAsViewsIntoTheBody) {
  const ExtenderArgs& args = args_of(kGoBody);
  for (const RequestedNode& node : args.requested) {
    EXPECT_GE(node.raw_name.data(), body_.view().data());
    EXPECT_LT(node.raw_name.data(), body_.view().data() + body_.size());
    EXPECT_EQ(node.name.data(), node.raw_name.data());
  }
}

TEST_F(ExtenderArgsTest, KeepsTheEscapedTextOfAName) {
  const ExtenderArgs& args = args_of(R"({"Pod":{},"NodeNames":["\u0061\n"]})");
  ASSERT_THAT(args.requested, SizeIs(1));
  EXPECT_EQ(args.requested[0].raw_name, R"(\u0061\n)");
  EXPECT_EQ(args.requested[0].name, "a\n");
}

TEST_F(ExtenderArgsTest, ReadsTheFullNodeForm) {
  const ExtenderArgs& args = args_of(
      R"({"Pod":{},"Nodes":{"metadata":{"x":[]},"items":[{"metadata":{"name":"a","uid":"1"}}, )"
      R"({ "spec":{"unschedulable":true},"metadata":{"x":{"name":"no"},"name":"b"}}]},)"
      R"("NodeNames":null})");
  EXPECT_TRUE(args.has_nodes);
  EXPECT_FALSE(args.has_names);
  ASSERT_EQ(names_of(args), (std::vector<std::string>{"a", "b"}));
  ASSERT_THAT(args.nodes, SizeIs(2));
  EXPECT_EQ(args.nodes[0].uid, "1");
  EXPECT_TRUE(args.nodes[1].unschedulable);
  EXPECT_EQ(args.requested[0].raw_node, R"({"metadata":{"name":"a","uid":"1"}})");
  EXPECT_EQ(args.requested[1].raw_node,
            R"({ "spec":{"unschedulable":true},"metadata":{"x":{"name":"no"},"name":"b"}})");
  EXPECT_EQ(args.requested[1].node, 1U);
  EXPECT_EQ(args.requested[1].raw_name, "b");
}

struct NoNodesCase {
  const char* name;
  const char* nodes;
};
class NoNodes : public ExtenderArgsTest, public ::testing::WithParamInterface<NoNodesCase> {};

TEST_P(NoNodes, IsAFullNodeFormOfNothing) {
  const ExtenderArgs& args = args_of(R"({"Pod":{},"Nodes":)" + std::string(GetParam().nodes) + "}");
  EXPECT_TRUE(args.has_nodes);
  EXPECT_THAT(args.requested, IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(Written, NoNodes,
                         ::testing::Values(NoNodesCase{"Object", "{}"},
                                           NoNodesCase{"NullItems", R"({"items":null})"},
                                           NoNodesCase{"EmptyItems", R"({"items":[ ]})"},
                                           NoNodesCase{"LastItemsWin",
                                                       R"({"items":[{"metadata":{"name":"a"}}],)"
                                                       R"("items":null})"},
                                           NoNodesCase{"OtherCase", R"({"Items":[5]})"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(ExtenderArgsTest, FindsNamesWhoseKeysAreEscaped) {
  const ExtenderArgs& args =
      args_of(R"({"Pod":{},"Nodes":{"items":[{"meta\u0064ata":{"name":"a\u0022"}},)"
              R"({"metadata":{"name":"x","n\u0061me":"b"}}]}})");
  ASSERT_EQ(names_of(args), (std::vector<std::string>{"a\"", "b"}));
  EXPECT_EQ(args.requested[0].raw_name, R"(a\")");
  EXPECT_EQ(args.requested[1].raw_name, "b");
}

TEST_F(ExtenderArgsTest, JoinsBothForms) {
  const ExtenderArgs& args = args_of(
      R"({"Pod":{},"NodeNames":["c","a","ghost","a"],"Nodes":{"items":[{"metadata":{"name":"a"}},)"
      R"({"metadata":{"name":"b"}},{"metadata":{"name":"c"}},{"metadata":{"name":"b"}}]}})");
  EXPECT_TRUE(args.has_names);
  EXPECT_TRUE(args.has_nodes);
  EXPECT_EQ(names_of(args), (std::vector<std::string>{"c", "a", "ghost", "a", "b", "b"}));
  std::vector<std::uint32_t> nodes;
  for (const RequestedNode& node : args.requested) nodes.push_back(node.node);
  EXPECT_THAT(nodes, ElementsAre(2U, 0U, RequestedNode::kNoNode, 0U, 1U, 3U));
  EXPECT_EQ(args.requested[0].raw_node, R"({"metadata":{"name":"c"}})");
  EXPECT_TRUE(args.requested[2].raw_node.empty());
}

TEST_F(ExtenderArgsTest, ToleratesARequestThatNamesNoNodes) {
  for (const char* body : {R"({"Pod":{}})", R"({"Pod":{},"Nodes":null,"NodeNames":null})"}) {
    const ExtenderArgs& args = args_of(body);
    EXPECT_FALSE(args.has_names);
    EXPECT_FALSE(args.has_nodes);
    EXPECT_THAT(args.requested, IsEmpty());
  }
}

TEST_F(ExtenderArgsTest, ForgetsTheRequestBefore) {
  args_of(R"({"Pod":{"metadata":{"name":"x"}},"Nodes":{"items":[{"metadata":{"name":"a"}}]}})");
  const ExtenderArgs& args = args_of(R"({"Pod":{},"Nodes":null,"NodeNames":["b"]})");
  EXPECT_EQ(args.pod.name, "");
  EXPECT_FALSE(args.has_nodes);
  EXPECT_THAT(args.nodes, IsEmpty());
  EXPECT_EQ(names_of(args), (std::vector<std::string>{"b"}));
}

struct BadCase {
  const char* name;
  std::string body;
  const char* want;
};
class BadRequest : public ExtenderArgsTest, public ::testing::WithParamInterface<BadCase> {};

TEST_P(BadRequest, IsRefusedByTheNameOfTheField) {
  const Error error = error_of(GetParam().body);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument) << error.message;
  EXPECT_THAT(error.message, HasSubstr(GetParam().want));
}
INSTANTIATE_TEST_SUITE_P(
    Body, BadRequest,
    ::testing::Values(
        BadCase{"Empty", "", "body: empty"}, BadCase{"WhiteSpace", " \n", "body: empty"},
        BadCase{"ByteOrderMark", "\xEF\xBB\xBF{\"Pod\":{}}", "body: begins with a byte order mark"},
        BadCase{"Null", "null", "body: want an object, found null"},
        BadCase{"Array", "[]", "body: want an object, found an array"},
        BadCase{"Text", "hello", "body: "}, BadCase{"Nul", std::string(1, '\0'), "body: "},
        BadCase{"TrailingGarbage", std::string(kGoBody) + "x", "body: not valid JSON at byte 68"},
        BadCase{"TrailingBrace", std::string(kGoBody) + "}", "nothing behind the object"},
        BadCase{"TwoObjects", std::string(kGoBody) + kGoBody, "nothing behind the object"},
        BadCase{"TrailingNul", std::string(kGoBody) + std::string(1, '\0'), "nothing behind"},
        BadCase{"Truncated", std::string(kGoBody).substr(0, 60), "the body ends"},
        BadCase{"TruncatedPod", R"({"Pod":{"metadata":{)", "Pod: not valid JSON"},
        BadCase{"TruncatedString", R"({"Pod":{},"NodeNames":["a)", "NodeNames"},
        BadCase{"TruncatedEscape", R"({"Pod":{},"NodeNames":["a\)", "NodeNames"},
        BadCase{"TrailingComma", R"({"Pod":{},})", "body: "},
        BadCase{"MissingColon", R"({"Pod" {}})", "body: not valid JSON at byte 7: want a colon"},
        BadCase{"MissingComma", R"({"Pod":{} "NodeNames":[]})", "body: "},
        BadCase{"UnquotedKey", "{Pod:{}}", "body: "},
        BadCase{"BadKeyEscape", R"({"P\xod":{}})", "body: "},
        BadCase{"GarbageInUnknownValue", R"({"Pod":{},"x":{"a":tru}})", "x: not valid JSON"},
        BadCase{"GarbageInRepeatedPod", R"({"Pod":{"a":tru},"Pod":{}})", "Pod: not valid JSON"},
        BadCase{"BadUtf8InUnknownValue", "{\"Pod\":{},\"x\":\"\xC3\"}", "x: not valid JSON"}),
    [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(
    Pod, BadRequest,
    ::testing::Values(
        BadCase{"Missing", R"({"NodeNames":["a"]})", "Pod: missing"},
        BadCase{"IsNull", R"({"Pod":null,"NodeNames":["a"]})", "Pod: missing"},
        BadCase{"LastIsNull", R"({"Pod":{},"pod":null,"NodeNames":["a"]})", "Pod: missing"},
        BadCase{"WrongType", R"({"Pod":"p"})", "Pod: want an object, found a string (\"p\")"},
        BadCase{"Field", R"({"Pod":{"spec":{"containers":5}},"Nodes":null,"NodeNames":["a"]})",
                "Pod: spec.containers: want an array, found the number 5"},
        BadCase{"MismatchedBrackets", R"({"Pod":{]})", "Pod: not valid JSON"}),
    [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(
    Names, BadRequest,
    ::testing::Values(
        BadCase{"WrongType", R"({"Pod":{},"NodeNames":{}})",
                "NodeNames: want an array or null, found an object"},
        BadCase{"NotAString", R"({"Pod":{},"Nodes":null,"NodeNames":["a","b","c",4]})",
                "NodeNames[3]: want a string, found a number (4)"},
        BadCase{"NullName", R"({"Pod":{},"NodeNames":[null]})",
                "NodeNames[0]: want a string, found null"},
        BadCase{"ControlCharacter", "{\"Pod\":{},\"Nodes\":null,\"NodeNames\":[\"a\tb\"]}",
                "NodeNames[0]: not valid JSON"},
        BadCase{"BadUtf8", "{\"Pod\":{},\"Nodes\":null,\"NodeNames\":[\"a\xFF\"]}",
                "NodeNames[0]: not valid JSON"},
        BadCase{"TrailingComma", R"({"Pod":{},"Nodes":null,"NodeNames":["a",]})", "NodeNames"},
        BadCase{"NoComma", R"({"Pod":{},"Nodes":null,"NodeNames":["a""b"]})", "NodeNames"},
        BadCase{"WrongEnd", R"({"Pod":{},"Nodes":null,"NodeNames":["a"}})", "NodeNames"}),
    [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(
    Nodes, BadRequest,
    ::testing::Values(
        BadCase{"WrongType", R"({"Pod":{},"Nodes":[]})",
                "Nodes: want an object or null, found an array"},
        BadCase{"Items", R"({"Pod":{},"Nodes":{"items":5}})",
                "Nodes.items: want an array or null, found a number (5)"},
        BadCase{"Item", R"({"Pod":{},"Nodes":{"items":[null]}})",
                "Nodes.items[0]: want an object, found null"},
        BadCase{"NoName", R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}},{}]}})",
                "Nodes.items[1]: metadata.name is missing"},
        BadCase{"Field",
                R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"},"spec":{"taints":7}}]}})",
                "Nodes.items[0]: spec.taints: want an array, found the number 7"},
        BadCase{"Metadata", R"({"Pod":{},"Nodes":{"metadata":{x}}})",
                "Nodes.metadata: not valid JSON"},
        BadCase{"TrailingComma", R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}},]}})",
                "Nodes.items[1]"}),
    [](const auto& test) { return std::string(test.param.name); });

struct LimitCase {
  const char* name;
  ExtenderLimits limits;
  std::string body;
  const char* want;
};
class Limit : public ExtenderArgsTest, public ::testing::WithParamInterface<LimitCase> {};

TEST_P(Limit, IsNamedWhenExceeded) {
  EXPECT_TRUE(decode(GetParam().body)) << "within the defaults";
  const Error error = error_of(GetParam().body, GetParam().limits);
  EXPECT_EQ(error.code, ErrorCode::kTooLarge) << error.message;
  EXPECT_THAT(error.message, HasSubstr(GetParam().want));
}
const char* const kNodesBody = R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"aaaa"}}]}})";
INSTANTIATE_TEST_SUITE_P(
    Of, Limit,
    ::testing::Values(
        LimitCase{"NamesBody",
                  {.names_body_bytes = 67},
                  kGoBody,
                  "body: 68 bytes, limit 67 (limits.namesBodyBytes)"},
        LimitCase{"NodesBody",
                  {.names_body_bytes = 10, .nodes_body_bytes = 58},
                  kNodesBody,
                  "body: 59 bytes, limit 58 (limits.nodesBodyBytes)"},
        LimitCase{"Names",
                  {.nodes = 1},
                  kGoBody,
                  "NodeNames: more than 1, the limit (limits.nodesPerRequest)"},
        LimitCase{
            "Items",
            {.nodes = 1},
            R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}})",
            "Nodes.items: more than 1, the limit (limits.nodesPerRequest)"},
        LimitCase{"NameBytes",
                  {.name_bytes = 4},
                  R"({"Pod":{},"Nodes":null,"NodeNames":["a","bcdef"]})",
                  "NodeNames[1]: 5 bytes, limit 4 (limits.nameBytes)"},
        LimitCase{"EscapedNameBytes",
                  {.name_bytes = 4},
                  R"({"Pod":{},"Nodes":null,"NodeNames":["\u0061"]})",
                  "NodeNames[0]: 6 bytes, limit 4 (limits.nameBytes)"},
        LimitCase{
            "ItemNameBytes", {.name_bytes = 3}, kNodesBody, "4 bytes, limit 3 (limits.nameBytes)"},
        LimitCase{"PodBytes",
                  {.object_bytes = 20},
                  kGoBody,
                  "Pod: 25 bytes, limit 20 (limits.objectBytes)"},
        LimitCase{"ItemBytes",
                  {.object_bytes = 20},
                  kNodesBody,
                  "Nodes.items[0]: 28 bytes, limit 20 (limits.objectBytes)"},
        LimitCase{"PodDepth",
                  {.depth = 5},
                  R"({"Pod":{"a":{"b":{"c":{"d":{"e":{"f":1}}}}}},"Nodes":null,"NodeNames":["a"]})",
                  "Pod: the request is nested deeper than 5 levels (limits.depth)"},
        LimitCase{"UnknownDepth",
                  {.depth = 5},
                  R"({"Pod":{},"x":[[[[[[[1]]]]]]]})",
                  "x: the request is nested deeper than 5 levels (limits.depth)"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(ExtenderArgsTest, SurvivesABottomlessBody) {
  for (const std::string start :
       {R"({"Pod":)", R"({"Pod":{},"x":)", R"({"Pod":{},"NodeNames":[)"}) {
    EXPECT_FALSE(decode(start + std::string(1'000'000, '[')));
    EXPECT_FALSE(decode(start + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}"));
  }
}

TEST_F(ExtenderArgsTest, ReadsTheLargestNumberOfNames) {
  std::string body = R"({"Pod":{},"Nodes":null,"NodeNames":[)";
  for (int i = 0; i < 200'000; ++i) {
    body += (i == 0 ? "\"n" : ",\"n") + std::to_string(i) + "\"";
  }
  EXPECT_THAT(args_of(body + "]}").requested, SizeIs(200'000));
  EXPECT_THAT(error_of(body + ",\"one-more\"]}").message, HasSubstr("NodeNames: more than 200000"));
}

TEST_F(ExtenderArgsTest, ShowsOnlyTheBeginningOfLongValues) {
  const std::string longest(50'000, 'x');
  EXPECT_LT(error_of(R"({"Pod":")" + longest + "\"}").message.size(), 300U);
  EXPECT_LT(error_of("{\"" + longest + "\":tru}").message.size(), 300U);
}

}  // namespace
}  // namespace berth::codec
