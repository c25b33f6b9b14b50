// How much a live cluster costs: memory of 5,000 nodes and 150,000 pods, and the rate at which
// watch events are taken over TLS. The API server is a process of its own, so that what is measured
// is berth's part alone.
//
// Usage: watch_bench [memory|ingest|paced]...   (default: all)
#include <httplib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "berth/kube/cluster_watch.h"
#include "test/http/certificates.h"

namespace berth {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kNodes = 5'000;
constexpr std::size_t kEventBytes = 10'000;

std::string number(long value, int digits) {
  std::string text = std::to_string(value);
  return std::string(static_cast<std::size_t>(digits) - text.size(), '0') + text;
}

std::string node_json(int i) {
  const std::string name = "gpu-node-" + number(i, 5);
  std::string labels;
  for (int label = 0; label < 24; ++label) {
    labels +=
        "\"example.com/label-" + number(label, 2) + "\":\"value-" + std::to_string(i % 7) + "\",";
  }
  return R"({"kind":"Node","metadata":{"name":")" + name + R"(","uid":"00000000-0000-4000-8000-)" +
         number(i, 12) + R"(","resourceVersion":"5","labels":{)" + labels +
         R"("kubernetes.io/hostname":")" + name +
         R"(","gpu":"true"}},"status":{"allocatable":{"cpu":"96","memory":"768Gi","pods":"250",)"
         R"("ephemeral-storage":"900Gi","nvidia.com/gpu":"8"}}})";
}

/// A pod as an API server sends it: mostly what berth does not need.
std::string pod_json(long i, long version) {
  std::string text =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"inference-)" + number(i, 8) +
      R"(","namespace":"team-)" + std::to_string(i % 40) + R"(","uid":"11111111-1111-4111-8111-)" +
      number(i, 12) + R"(","resourceVersion":")" + number(version, 9) +
      R"(","labels":{"app":"inference","pod-template-hash":"6f7d"},"managedFields":[)";
  const std::string tail =
      R"(]},"spec":{"nodeName":"gpu-node-)" + number(i % kNodes, 5) +
      R"(","containers":[{"name":"main","image":"registry.example/inference:1","resources":)"
      R"({"requests":{"cpu":")" +
      std::to_string(1 + i % 6) + R"(","memory":"8Gi","nvidia.com/gpu":")" + std::to_string(i % 2) +
      R"("}}},{"name":"sidecar","resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}]},)"
      R"("status":{"phase":"Running","podIP":"10.1.2.3"}})";
  const std::string field =
      R"({"manager":"kubelet","operation":"Update","fieldsV1":{"f:status":{"f:conditions":{"k:)"
      R"({\"type\":\"Ready\"}":{".":{},"f:status":{}}}}}})";
  while (text.size() + tail.size() + field.size() + 1 < kEventBytes - 40) {
    if (text.back() != '[') text += ',';
    text += field;
  }
  return text + tail;
}

/// An API server that never ends a watch: `pods` in the list, then MODIFIED events, as fast as they
/// are read or `rate` per second.
class ApiServer {
 public:
  ApiServer(long pods, long events, long rate, const http::test::TemporaryFolder& folder,
            const http::test::Identity& identity)
      : pods_(pods),
        events_(events),
        rate_(rate),
        server_(folder.write("server.crt", identity.certificate_pem()).c_str(),
                folder.write("server.key", identity.key_pem()).c_str()) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(8); };
    server_.Get("/api/v1/nodes", [this](const auto& request, auto& response) {
      if (request.has_param("watch")) return hold(response);
      list(request, response, kNodes, [](long i) { return node_json(static_cast<int>(i)); });
    });
    server_.Get("/api/v1/pods", [this](const auto& request, auto& response) {
      if (request.has_param("watch")) return watch(response);
      list(request, response, pods_, [](long i) { return pod_json(i, 5); });
    });
    server_.Get(".*", [](const auto&, auto& response) { response.status = 404; });
    port = server_.bind_to_any_port("127.0.0.1");
  }
  void run() { server_.listen_after_bind(); }
  int port = 0;

 private:
  template <typename Make>
  static void list(const httplib::Request& request, httplib::Response& response, long count,
                   Make make) {
    constexpr long kPage = 500;
    const long begin =
        request.has_param("continue") ? std::stol(request.get_param_value("continue")) : 0;
    const long end = std::min(count, begin + kPage);
    std::string text = R"({"metadata":{"resourceVersion":"10")";
    if (end < count) text += R"(,"continue":")" + std::to_string(end) + "\"";
    text += "},\"items\":[";
    for (long i = begin; i < end; ++i) text += (i > begin ? "," : "") + make(i);
    response.set_content(text + "]}", "application/json");
  }
  static void hold(httplib::Response& response) {
    response.set_chunked_content_provider("application/json", [](std::size_t, auto& sink) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return sink.is_writable();
    });
  }
  void watch(httplib::Response& response) {
    // Made before the clock runs: the server must not be what is measured.
    auto lines = std::make_shared<std::vector<std::string>>();
    for (long i = 0; i < 2'000; ++i) {
      lines->push_back(R"({"type":"MODIFIED","object":)" + pod_json(i * 7 % pods_, 100 + i) +
                       "}\n");
    }
    auto sent = std::make_shared<long>(0);
    const auto begin = Steady::now();
    response.set_chunked_content_provider(
        "application/json", [this, lines, sent, begin](std::size_t, httplib::DataSink& sink) {
          if (*sent >= events_) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return sink.is_writable();
          }
          if (rate_ > 0) {
            std::this_thread::sleep_until(begin +
                                          std::chrono::microseconds(1'000'000 * *sent / rate_));
          }
          const std::string& line = (*lines)[static_cast<std::size_t>(*sent % 2'000)];
          ++*sent;
          return sink.write(line.data(), line.size());
        });
  }

  long pods_;
  long events_;
  long rate_;
  httplib::SSLServer server_;
};

class Counter final : public kube::WatchObserver {
 public:
  void on_relist(cluster::Source, cluster::RelistReason) override { ++relists; }
  void on_event(cluster::Source, codec::WatchEventType) override { ++events; }
  void on_unreadable(cluster::Source, std::string_view what) override { complain(what); }
  void on_unreadable_quantities(cluster::Source, std::size_t, std::string_view what) override {
    complain(what);
  }
  void on_trouble(cluster::Source, std::string_view what) override { complain(what); }
  void on_publish(std::size_t) override { ++publishes; }
  std::atomic<long> events{0};
  std::atomic<long> publishes{0};
  std::atomic<long> relists{0};

 private:
  static void complain(std::string_view what) {
    std::fprintf(stderr, "watch_bench: %.*s\n", static_cast<int>(what.size()), what.data());
  }
};

double cpu_seconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  file >> pages >> pages;
  return static_cast<double>(pages * sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Follows a server of this size until `done` says so. Runs in a child, so that each measurement
/// begins with a fresh process.
void follow(long pods, long events, long rate, const std::function<void(const Counter&)>& measure) {
  const http::test::TemporaryFolder folder;
  const http::test::Identity identity("127.0.0.1");
  ApiServer server(pods, events, rate, folder, identity);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    server.run();
    _exit(0);
  }
  {
    Published<cluster::Snapshot> snapshots;
    const FixedClock clock(Time{});
    Counter counter;
    kube::WatchOptions options;
    options.access.host = "127.0.0.1";
    options.access.port = server.port;
    options.access.certificate_authority.text = identity.certificate_pem();
    kube::ClusterWatch watch(options, model::GpuPolicy{}, snapshots, clock, counter);
    while (snapshots.read() == nullptr) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    measure(counter);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

void wait_for(const Counter& counter, long events) {
  while (counter.events < events) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void memory() {
  const double before = resident_megabytes();
  const auto begin = Steady::now();
  follow(150'000, 0, 0, [&](const Counter&) {
    const std::chrono::duration<double> took = Steady::now() - begin;
    std::printf(
        "memory: 5,000 nodes + 150,000 pods: %.1f MB resident (%.1f before), listed in %.1f s\n",
        resident_megabytes(), before, took.count());
  });
}

void ingest() {
  constexpr long kEvents = 150'000;
  follow(20'000, kEvents, 0, [&](const Counter& counter) {
    wait_for(counter, 1'000);
    const auto begin = Steady::now();
    const double cpu = cpu_seconds();
    const long first = counter.events;
    wait_for(counter, kEvents);
    const std::chrono::duration<double> took = Steady::now() - begin;
    const auto taken = static_cast<double>(counter.events - first);
    std::printf(
        "ingest: %.0f events/s of 10 kB over TLS, %.1f us of CPU each, %ld lists, %ld snapshots\n",
        taken / took.count(), (cpu_seconds() - cpu) / taken * 1e6, counter.relists.load(),
        counter.publishes.load());
  });
}

void paced() {
  constexpr long kRate = 2'000;
  constexpr long kEvents = kRate * 10;
  follow(20'000, kEvents, kRate, [&](const Counter& counter) {
    wait_for(counter, kRate);
    const auto begin = Steady::now();
    const double cpu = cpu_seconds();
    const long publishes = counter.publishes;
    wait_for(counter, kEvents);
    const std::chrono::duration<double> took = Steady::now() - begin;
    std::printf("paced: 2,000 events/s of 10 kB over TLS: %.1f %% of a core, %.0f snapshots/s\n",
                (cpu_seconds() - cpu) / took.count() * 100,
                static_cast<double>(counter.publishes - publishes) / took.count());
  });
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto wanted = [&](const std::string& name) {
    if (argc == 1) return true;
    for (int i = 1; i < argc; ++i) {
      if (argv[i] == name) return true;
    }
    return false;
  };
  if (wanted("memory")) berth::memory();
  if (wanted("ingest")) berth::ingest();
  if (wanted("paced")) berth::paced();
}
