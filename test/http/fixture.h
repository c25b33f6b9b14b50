/// A running server on a free port, and a handler that can be held.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "berth/http/server.h"
#include "test/http/client.h"

namespace berth::http::test {

/// A door that handlers wait at. The test sees how many stand there.
class Latch {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }
  /// False if fewer than `count` have come within 10 seconds.
  [[nodiscard]] bool wait_for(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10),
                             [this, count] { return waiting_ >= count; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

class ServerTest : public ::testing::Test {
 protected:
  /// Serves the usual routes: POST /echo gives the body back, GET /hello says hello, POST /count
  /// says how long the body was, POST /wait holds the request at `latch_`.
  void start(ServerOptions options = {}) {
    auto started = start_server(std::move(options), routes());
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  [[nodiscard]] int port() const { return server_->port(); }
  [[nodiscard]] Client connect() const { return Client(server_->port()); }
  void TearDown() override { latch_.open(); }

  [[nodiscard]] std::vector<Route> routes() {
    return {
        {"POST", "/echo",
         [](const Request& r) {
           return Response{200, std::string(r.body.view())};
         }},
        {"POST", "/count",
         [](const Request& r) {
           return Response{200, std::to_string(r.body.size())};
         }},
        {"GET", "/hello",
         [](const Request&) {
           return Response{200, "hello", "text/plain"};
         }},
        {"GET", "/both",
         [](const Request&) {
           return Response{200, "got"};
         }},
        {"POST", "/both",
         [](const Request&) {
           return Response{200, "posted"};
         }},
        {"GET", "/query",
         [](const Request& r) {
           return Response{200, r.path + " " + r.query};
         }},
        {"GET", "/empty",
         [](const Request&) {
           return Response{200, {}, {}};
         }},
        {"GET", "/big",
         [](const Request&) {
           return Response{200, std::string(1 << 20, 'x')};
         }},
        {"POST", "/wait",
         [this](const Request& r) {
           latch_.pass();
           return Response{200, std::to_string(r.body.size())};
         }},
        {"GET", "/throw",
         [](const Request&) -> Response { throw std::runtime_error("the secret\r\nX: y"); }},
        {"GET", "/throw-int", [](const Request&) -> Response { throw 7; }},
        {"GET", "/bad-status",
         [](const Request&) {
           return Response{7, "seven"};
         }},
    };
  }

  /// Options whose refusals the test hears of.
  [[nodiscard]] ServerOptions listening_to_refusals() {
    ServerOptions options;
    options.on_refusal = [this](Refusal refusal, std::string_view what) {
      const std::lock_guard lock(refusals_mutex_);
      refusals_.push_back(std::string(to_string(refusal)) + ": " + std::string(what));
    };
    return options;
  }
  [[nodiscard]] std::vector<std::string> refusals() {
    const std::lock_guard lock(refusals_mutex_);
    return refusals_;
  }
  /// Waits up to 10 seconds for that many.
  [[nodiscard]] std::vector<std::string> wait_for_refusals(std::size_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (refusals().size() < count && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    return refusals();
  }

  std::mutex refusals_mutex_;
  std::vector<std::string> refusals_;
  Latch latch_;
  std::unique_ptr<Server> server_;  // stops before the latch goes
};

}  // namespace berth::http::test
