#include "berth/codec/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ListPageTest, ReadsVersionTokenAndItems) {
  const PaddedBuffer text(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"17","continue":"abc=",)"
      R"("remainingItemCount":4},"items":[{"metadata":{"name":"a"}}, {"x":"}]"} ]})");
  const auto page = read_list_page(text);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->resource_version, "17");
  EXPECT_EQ(page->continue_token, "abc=");
  EXPECT_THAT(page->items, ElementsAre(R"({"metadata":{"name":"a"}})", R"({"x":"}]"})"));
}

TEST(ListPageTest, ReadsAnyOrderAndEscapes) {
  const PaddedBuffer text(
      "\n{\"items\":null,\"metadata\":{\"continue\":\"a\\u0026b\",\"resourceVersion\":\"9\"}}\n");
  const auto page = read_list_page(text);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->continue_token, "a&b");
  EXPECT_THAT(page->items, IsEmpty());
}

TEST(ListPageTest, RefusesWhatIsNoList) {
  for (const char* text :
       {"", "[]", "nonsense", R"({"metadata":{"resourceVersion":"1"},"items":[{})",
        R"({"metadata":{"resourceVersion":"1"},"items":{}})", R"({"items":[]})",
        R"({"metadata":{"resourceVersion":1},"items":[]})",
        R"({"metadata":{"resourceVersion":"1"},"items":[{} {}]})",
        R"({"metadata":{"resourceVersion":"1"},"items":[]} {})"}) {
    const auto page = read_list_page(PaddedBuffer(text));
    ASSERT_FALSE(page) << text;
    EXPECT_EQ(page.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_THAT(page.error().message, HasSubstr("not a list")) << text;
  }
}

WatchEventType type_of(std::string_view text) {
  const PaddedBuffer line(text);
  const auto event = read_watch_event(line.view());
  return event ? event->type : WatchEventType::kUnknown;
}

TEST(WatchEventTest, KnowsEveryType) {
  EXPECT_EQ(type_of(R"({"type":"ADDED","object":{}})"), WatchEventType::kAdded);
  EXPECT_EQ(type_of(R"({"type":"MODIFIED","object":{}})"), WatchEventType::kModified);
  EXPECT_EQ(type_of(R"({"type":"DELETED","object":{}})"), WatchEventType::kDeleted);
  EXPECT_EQ(type_of(R"({"type":"BOOKMARK","object":{}})"), WatchEventType::kBookmark);
  EXPECT_EQ(type_of(R"({"type":"ERROR","object":{}})"), WatchEventType::kError);
}

TEST(WatchEventTest, GivesTheObjectAsItWasSent) {
  const PaddedBuffer line(R"( {"object": {"a":[1,"}"]} , "new":7, "type":"LATER"} )");
  const auto event = read_watch_event(line.view());
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->type, WatchEventType::kUnknown);
  EXPECT_EQ(event->object, R"({"a":[1,"}"]})");
}

TEST(WatchEventTest, RefusesWhatIsNoEvent) {
  for (const char* text : {"", "{", "{}", "[]", R"({"type":"ADDED"})", R"({"object":{}})",
                           R"({"type":1,"object":{}})", R"({"type":"ADDED","object":[]})",
                           R"({"type":"ADDED","object":{)", R"({"type":"ADDED","object":{}}{})"}) {
    const PaddedBuffer line(text);
    const auto event = read_watch_event(line.view());
    ASSERT_FALSE(event) << text;
    EXPECT_THAT(event.error().message, HasSubstr("not a watch event")) << text;
  }
}

TEST(WatchEventTest, GuessesWhatItWouldRead) {
  for (const char* text : {R"({"type":"ADDED","object":{"a":{"b":"}"}}})",
                           R"({"type":"DELETED","object":{"kind":"Pod"}})"}) {
    const PaddedBuffer line(text);
    const auto guess = guess_watch_event(line.view());
    const auto read = read_watch_event(line.view());
    ASSERT_TRUE(guess) << text;
    EXPECT_EQ(guess->type, read->type);
    EXPECT_EQ(guess->object, read->object);
  }
  // More behind the object: the guess is then no JSON value.
  const auto guess = guess_watch_event(R"({"type":"ADDED","object":{"a":1},"more":{}})");
  ASSERT_TRUE(guess);
  EXPECT_EQ(guess->object, R"({"a":1},"more":{})");
  for (const char* text :
       {"", "{}", R"({"type":"ADDED"})", R"({"type":"NEW","object":{}})",
        R"( {"type":"ADDED","object":{}})", R"({"type":"ADDED","object":[]})",
        R"({"type":"ADDED","object":7})", R"({"type":"ADDED","x":{"object":{}}})"}) {
    EXPECT_FALSE(guess_watch_event(text)) << text;
  }
}

TEST(IdentityTest, ReadsWhatIsThere) {
  const PaddedBuffer whole(
      R"({"metadata":{"namespace":"n","name":"p","uid":"u","resourceVersion":"5"},"spec":1})");
  const ObjectIdentity identity = read_identity(whole.view());
  EXPECT_EQ(identity.namespace_name, "n");
  EXPECT_EQ(identity.name, "p");
  EXPECT_EQ(identity.uid, "u");
  EXPECT_EQ(identity.resource_version, "5");
  for (const char* text : {"{}", "[]", R"({"metadata":7})", R"({"metadata":{"name":null}})", "{"}) {
    const PaddedBuffer partial(text);
    EXPECT_EQ(read_identity(partial.view()).name, "") << text;
  }
}

TEST(ApiStatusTest, ReadsARefusal) {
  const PaddedBuffer gone(
      R"({"kind":"Status","status":"Failure","message":"too old","reason":"Expired","code":410})");
  const ApiStatus status = read_api_status(gone);
  EXPECT_EQ(status.code, 410);
  EXPECT_EQ(status.reason, "Expired");
  EXPECT_EQ(status.message, "too old");
}

TEST(ApiStatusTest, ShowsWhatIsNoStatus) {
  EXPECT_EQ(read_api_status(PaddedBuffer("<html>\x01")).message, "<html>\\x01");
  const ApiStatus odd = read_api_status(PaddedBuffer(R"({"code":"x","reason":3,"message":[]})"));
  EXPECT_EQ(odd.code, 0);
  EXPECT_EQ(odd.reason, "");
  EXPECT_EQ(odd.message, "");
}

}  // namespace
}  // namespace berth::codec
