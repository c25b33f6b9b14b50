#include "berth/app/serve.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "berth/app/cluster_access.h"
#include "berth/app/cluster_feed.h"
#include "berth/app/files.h"
#include "berth/app/http_reporter.h"
#include "berth/app/pages.h"
#include "berth/app/policy_feed.h"
#include "berth/app/watch_reporter.h"
#include "berth/base/mutex.h"
#include "berth/base/published.h"
#include "berth/codec/extender_reply.h"
#include "berth/http/server.h"
#include "berth/kube/cluster_watch.h"
#include "berth/service/extender.h"
#include "berth/telemetry/cluster_facts.h"
#include "berth/telemetry/decision_observer.h"
#include "berth/telemetry/metrics.h"

namespace berth::app {
namespace {

constexpr std::chrono::milliseconds kFileInterval{200};
constexpr std::size_t kAdminBodyBytes = 64 << 10;
constexpr std::size_t kAdminConnections = 64;

std::unique_ptr<Clock> make_clock(const ServeFlags& flags) {
  if (flags.now) return std::make_unique<FixedClock>(*flags.now);
  return std::make_unique<SystemClock>();
}

telemetry::LogOptions log_options(const LogConfiguration& configuration,
                                  std::function<void(std::string_view)> sink) {
  return {configuration.format, configuration.level, std::move(sink)};
}

std::unique_ptr<http::TlsOptions> tls_options(const TlsConfiguration& tls) {
  if (tls.certificate_file.empty()) return nullptr;
  return std::make_unique<http::TlsOptions>(
      http::TlsOptions{tls.certificate_file, tls.key_file, tls.client_ca_file});
}

Error in_file(const std::string& file, const Error& error) {
  return {error.code, file + ": " + error.message};
}

/// Holds everything that a running berth consists of, in the order in which it is built; members
/// are torn down from the last to the first.
class RunningBerth final : public Serving {
 public:
  RunningBerth(ServeFlags flags, Configuration from_file, Configuration effective,
               std::function<void(std::string_view)> log_sink)
      : flags_(std::move(flags)),
        configuration_(std::move(effective)),
        clock_(make_clock(flags_)),
        log_(log_options(configuration_.log, std::move(log_sink))),
        metrics_(version()),
        policies_(std::make_shared<const placement::Policy>(configuration_.policy)),
        cluster_feed_(configuration_.policy.gpu, snapshots_, *clock_, metrics_, log_),
        policy_feed_(
            flags_.config_file, std::move(from_file), policies_,
            [this](const model::GpuPolicy& policy) { set_gpu_policy(policy); }, metrics_, log_),
        watch_reporter_(metrics_, log_),
        http_reporter_(metrics_, log_),
        observer_(metrics_, log_),
        memory_({}, [this](service::ExpectationEnd end) { metrics_.count_expectation(end); }),
        // A file shows no bindings: nothing could ever be learnt of what was expected.
        extender_(snapshots_, policies_, *clock_, observer_, configuration_.limits.extender,
                  flags_.cluster_file.empty() ? &memory_ : nullptr) {}

  ~RunningBerth() override { stop_all(); }

  /// `config_text` is what from_file was read from; `access` says where the cluster is if not in a
  /// file.
  Status start(std::string config_text, std::optional<kube::Access> access) {
    const bool live = access.has_value();
    if (live) follow(*std::move(access));  // before anyone can ask for its sources
    if (const Status listening = listen(); !listening) return listening.error();
    std::vector<WatchedFile> files;
    if (!live) {
      if (const Status loaded = load(files); !loaded) return loaded.error();
    }
    if (!flags_.config_file.empty()) {
      files.push_back({flags_.config_file, kMaxConfigurationBytes, std::move(config_text),
                       [this](const Result<std::string>& text) { policy_feed_.reload(text); }});
    }
    if (!files.empty()) watcher_ = std::make_unique<FileWatcher>(std::move(files), kFileInterval);
    log_.info("serving", {{"version", version()},
                          {"listen", url()},
                          {"admin", admin_url()},
                          {"clock", flags_.now ? "stopped" : "running"}});
    return ok();
  }

  [[nodiscard]] std::string url() const override {
    return url_of(configuration_.listen, !configuration_.tls.certificate_file.empty(), *server_);
  }
  [[nodiscard]] std::string admin_url() const override {
    return url_of(configuration_.admin_listen, admin_speaks_tls(configuration_, flags_), *admin_);
  }
  void stop() override { stop_all(); }

 private:
  static std::string url_of(Endpoint endpoint, bool tls, const http::Server& server) {
    endpoint.port = server.port();
    return (tls ? "https://" : "http://") + to_string(endpoint);
  }

  void stop_all() {
    if (server_) server_->stop();
    watcher_.reset();
    if (cluster_watch_) cluster_watch_->stop();
    if (admin_) admin_->stop();  // last, so that metrics can be read until the end
  }

  Status listen() {
    auto admin = http::start_server(admin_options(), admin_routes());
    if (!admin) return admin.error();
    admin_ = *std::move(admin);
    auto server = http::start_server(scheduler_options(), scheduler_routes());
    if (!server) return server.error();
    server_ = *std::move(server);
    return ok();
  }

  http::ServerOptions options_for(std::string_view listener, const Endpoint& endpoint) {
    http::ServerOptions options;
    options.name = listener;
    options.address = endpoint.address;
    options.port = endpoint.port;
    options.on_event = [this, listener](const std::string& what) {
      log_.warn(what, {{"listener", listener}});
    };
    options.on_refusal = [this, listener](http::Refusal refusal, std::string_view what) {
      http_reporter_.on_refusal(listener, refusal, what);
    };
    options.keep_alive = configuration_.limits.keep_alive;
    options.read_timeout = configuration_.limits.read_timeout;
    options.body_timeout = configuration_.limits.body_timeout;
    return options;
  }

  http::ServerOptions scheduler_options() {
    const LimitsConfiguration& limits = configuration_.limits;
    http::ServerOptions options = options_for(kListen, configuration_.listen);
    options.tls = tls_options(configuration_.tls);
    options.max_body_bytes =
        std::max(limits.extender.names_body_bytes, limits.extender.nodes_body_bytes);
    options.max_bytes_in_flight = limits.body_bytes_in_flight;
    options.max_connections = limits.connections;
    options.max_threads = limits.threads;
    options.explain = [this](http::Refusal refusal) {
      return explain_refusal(configuration_.limits, refusal);
    };
    return options;
  }

  http::ServerOptions admin_options() {
    http::ServerOptions options = options_for(kAdminListen, configuration_.admin_listen);
    if (admin_speaks_tls(configuration_, flags_)) options.tls = tls_options(configuration_.tls);
    options.max_body_bytes = kAdminBodyBytes;
    options.max_bytes_in_flight = kAdminBodyBytes * kAdminConnections;
    options.max_connections = kAdminConnections;
    options.max_threads = kAdminConnections;
    return options;
  }

  std::vector<http::Route> scheduler_routes() {
    std::vector<http::Route> routes;
    const auto add = [&](const std::string& verb,
                         service::Reply (service::Extender::*answer)(const PaddedBuffer&)) {
      for (const char* prefix : {"/", "/v1/"}) {
        routes.push_back({"POST", prefix + verb, [this, answer](const http::Request& request) {
                            service::Reply reply = (extender_.*answer)(request.body);
                            return http::Response{reply.status, std::move(reply.body)};
                          }});
      }
    };
    add("filter", &service::Extender::filter);
    add("prioritize", &service::Extender::prioritize);
    return routes;
  }

  std::vector<http::Route> admin_routes() {
    constexpr const char* kText = "text/plain; charset=utf-8";
    return {{"GET", "/healthz",
             [](const http::Request&) {
               return http::Response{200, "ok\n", kText};
             }},
            {"GET", "/readyz",
             [this](const http::Request&) {
               ReadinessPage page = readiness_page(snapshots_.read() != nullptr, sources(),
                                                   configuration_.limits.stale_after);
               return http::Response{page.ready ? 200 : 503, std::move(page.text), kText};
             }},
            {"GET", "/v1/nodes",
             [this](const http::Request&) {
               const auto snapshot = snapshots_.read();
               if (snapshot == nullptr) {
                 return http::Response{503, codec::encode_error("no cluster snapshot yet")};
               }
               return http::Response{200, nodes_page(*snapshot, clock_->now())};
             }},
            {"GET", "/metrics", [this](const http::Request&) {
               const auto snapshot = snapshots_.read();
               metrics_.set_sources(sources());
               metrics_.set_expected(memory_.expected());
               return http::Response{
                   200, metrics_.expose(telemetry::describe(snapshot.get(), clock_->now())),
                   std::string(telemetry::kMetricsContentType)};
             }}};
  }

  [[nodiscard]] std::vector<cluster::SourceStatus> sources() const {
    return cluster_watch_ ? cluster_watch_->sources() : std::vector<cluster::SourceStatus>();
  }

  /// Reads the cluster's file and has it watched.
  Status load(std::vector<WatchedFile>& watched) {
    auto text = read_file(flags_.cluster_file, kMaxClusterBytes);
    if (!text) return text.error();
    if (const Status loaded = cluster_feed_.load(*text); !loaded) {
      return in_file(flags_.cluster_file, loaded.error());
    }
    metrics_.count_cluster_reload(telemetry::ReloadResult::kSuccess);
    watched.push_back({flags_.cluster_file, kMaxClusterBytes, *std::move(text),
                       [this](const Result<std::string>& changed) { reload_cluster(changed); }});
    return ok();
  }

  void follow(kube::Access access) {
    log_.info("following a live cluster", {{"access", access.description}});
    kube::WatchOptions options;
    options.access = std::move(access);
    options.read_file = read_file;
    options.user_agent = "berth/" + std::string(version());
    options.on_binding = [this](const kube::Binding& binding) {
      memory_.bound(binding.pod_uid, binding.node_name);
    };
    options.on_published = [this] { memory_.published(); };
    cluster_watch_ = std::make_unique<kube::ClusterWatch>(
        std::move(options), configuration_.policy.gpu, snapshots_, *clock_, watch_reporter_);
  }

  void set_gpu_policy(const model::GpuPolicy& policy) {
    if (cluster_watch_) {
      cluster_watch_->set_gpu_policy(policy);
    } else {
      cluster_feed_.set_gpu_policy(policy);
    }
  }

  void reload_cluster(const Result<std::string>& text) {
    const Status loaded = text ? cluster_feed_.load(*text) : Status(text.error());
    metrics_.count_cluster_reload(loaded ? telemetry::ReloadResult::kSuccess
                                         : telemetry::ReloadResult::kFailure);
    if (loaded) return;
    log_.error("cluster file refused, the old cluster stays",
               {{"file", flags_.cluster_file}, {"why", loaded.error().message}});
  }

  const ServeFlags flags_;
  const Configuration configuration_;
  const std::unique_ptr<Clock> clock_;
  telemetry::Log log_;
  telemetry::Metrics metrics_;
  Published<cluster::Snapshot> snapshots_;
  Published<placement::Policy> policies_;
  ClusterFeed cluster_feed_;  // after start() the watcher's thread alone
  PolicyFeed policy_feed_;    // the same
  WatchReporter watch_reporter_;
  HttpReporter http_reporter_;
  telemetry::DecisionObserver observer_;
  service::PlacementMemory memory_;
  service::Extender extender_;
  std::unique_ptr<http::Server> admin_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<kube::ClusterWatch> cluster_watch_;
  std::unique_ptr<FileWatcher> watcher_;
};

/// One line on stderr; control characters in it cannot break it.
int complain(const Error& error) {
  std::string line = "berth: " + error.message;
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::fprintf(stderr, "%s\n", line.c_str());
  return 1;
}

/// Waits for the signals that end berth, on a thread of its own: starting can take long, or for
/// ever when the cluster is a pipe that nobody writes to.
class EndSignal {
 public:
  /// From here on the signals are blocked in this thread and all that it starts. Until started()
  /// one of them ends the process at once: there is nothing yet to be finished.
  EndSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    thread_ = std::thread([this] { run(); });
  }
  ~EndSignal() {
    set(State::kOver);
    // It is blocked: the thread's sigwait() takes it.
    // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread)
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }
  EndSignal(const EndSignal&) = delete;
  EndSignal& operator=(const EndSignal&) = delete;

  void started() { set(State::kStarted); }
  void wait() BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (!came_) changed_.wait(mutex_);
  }

 private:
  enum class State { kStarting, kStarted, kOver };

  void set(State state) BERTH_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    state_ = state;
  }
  void run() BERTH_EXCLUDES(mutex_) {
    int received = 0;
    while (sigwait(&signals_, &received) != 0) {
    }
    const MutexLock lock(mutex_);
    if (state_ == State::kStarting) std::_Exit(0);
    came_ = true;
    changed_.notify_all();
  }

  sigset_t signals_{};
  Mutex mutex_;
  CondVar changed_;
  State state_ BERTH_GUARDED_BY(mutex_) = State::kStarting;
  bool came_ BERTH_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

/// As many open files as the system lets us have: every connection is one.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Time SystemClock::now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Result<std::unique_ptr<Serving>> start_serving(const ServeFlags& flags,
                                               std::function<void(std::string_view)> log_sink) {
  Configuration from_file;
  std::string config_text;
  if (!flags.config_file.empty()) {
    auto text = read_file(flags.config_file, kMaxConfigurationBytes);
    if (!text) return text.error();
    config_text = *std::move(text);
    auto parsed = parse_configuration(config_text, flags.config_file);
    if (!parsed) return parsed.error();
    from_file = *std::move(parsed);
  }
  auto effective = apply_flags(from_file, flags);
  if (!effective) return effective.error();
  std::optional<kube::Access> access;
  if (flags.cluster_file.empty()) {
    auto found = find_cluster(flags, read_cluster_environment());
    if (!found) return found.error();
    access = *std::move(found);
  }
  auto berth = std::make_unique<RunningBerth>(flags, std::move(from_file), *std::move(effective),
                                              std::move(log_sink));
  if (const Status started = berth->start(std::move(config_text), std::move(access)); !started) {
    return started.error();
  }
  return std::unique_ptr<Serving>(std::move(berth));
}

int run_serve(const ServeFlags& flags) {
  raise_file_limit();
  EndSignal end;
  std::signal(SIGPIPE, SIG_IGN);

  auto serving = start_serving(flags);
  if (!serving) return complain(serving.error());
  std::printf("listening on %s\nadmin on %s\n", (*serving)->url().c_str(),
              (*serving)->admin_url().c_str());
  std::fflush(stdout);
  end.started();
  end.wait();
  (*serving)->stop();
  return 0;
}

}  // namespace berth::app
