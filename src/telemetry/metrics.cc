#include "berth/telemetry/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <map>
#include <sstream>
#include <utility>

namespace berth::telemetry {
namespace {

using placement::Stage;
using service::Outcome;
using service::Verb;

constexpr std::array kVerbs = {Verb::kFilter, Verb::kPrioritize};
constexpr std::array kOutcomes = {Outcome::kOk, Outcome::kNoNode, Outcome::kBadRequest,
                                  Outcome::kTooLarge, Outcome::kNotReady};
constexpr std::array kQuantityOf = {QuantityOf::kRequest, QuantityOf::kPod, QuantityOf::kNode};
constexpr std::array kReloadResults = {ReloadResult::kSuccess, ReloadResult::kFailure};

/// 10 us to 1 s: a decision takes tens of microseconds, kube-scheduler waits for seconds.
prometheus::Histogram::BucketBoundaries duration_buckets() {
  return {0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025,
          0.005,   0.01,     0.025,   0.05,   0.1,     0.25,   0.5,   1.0};
}

template <typename E>
std::size_t index_of(E value) {
  return static_cast<std::size_t>(value);
}

const char* word(ReloadResult result) {
  return result == ReloadResult::kSuccess ? "success" : "failure";
}

const char* word(QuantityOf of) {
  switch (of) {
    case QuantityOf::kRequest:
      return "request";
    case QuantityOf::kPod:
      return "pod";
    case QuantityOf::kNode:
      return "node";
  }
  return "unknown";
}

using BySource = std::array<prometheus::Counter*, cluster::kAllSources.size()>;
using Reloads = std::array<prometheus::Counter*, kReloadResults.size()>;

}  // namespace

struct Metrics::Impl {
  struct Request {
    prometheus::Counter* total = nullptr;
    prometheus::Histogram* duration = nullptr;
  };

  prometheus::Registry registry;
  std::array<std::array<Request, kOutcomes.size()>, kVerbs.size()> requests;
  std::array<prometheus::Counter*, placement::kAllStages.size()> refusals{};
  std::array<prometheus::Counter*, kQuantityOf.size()> unreadable_quantities{};
  prometheus::Counter* unknown_affinity = nullptr;
  std::map<std::pair<std::string, std::string>, prometheus::Counter*> http_refusals;
  std::array<prometheus::Gauge*, model::kAllReadiness.size()> nodes{};
  std::array<prometheus::Counter*, service::kAllSecondLooks.size() + 1> second_looks{};
  Reloads config_reloads{};
  Reloads cluster_reloads{};
  std::array<BySource, cluster::kAllRelistReasons.size()> relists{};
  BySource events{};
  BySource unreadable{};
  BySource failures{};
  std::array<prometheus::Counter*, service::kAllExpectationEnds.size()> expectation_ends{};
  prometheus::Gauge* expected = nullptr;
  prometheus::Family<prometheus::Gauge>* source_synced = nullptr;
  prometheus::Family<prometheus::Gauge>* source_age = nullptr;
  prometheus::Gauge* synced = nullptr;
  prometheus::Gauge* age = nullptr;
  prometheus::Gauge* generation = nullptr;
  prometheus::Gauge* snapshot_nodes = nullptr;
  prometheus::Gauge* pods = nullptr;

  explicit Impl(std::string_view version) {
    add_requests();
    add_refusals();
    add_second_looks();
    add_doubts();
    config_reloads = add_reloads("berth_config_reloads_total", "Configuration files read again.");
    cluster_reloads = add_reloads("berth_cluster_reloads_total", "Cluster files read.");
    add_cluster();
    add_sources();
    add_expectations();
    prometheus::BuildGauge()
        .Name("berth_build_info")
        .Help("Always 1; the version is in the label.")
        .Register(registry)
        .Add({{"version", std::string(version)}})
        .Set(1);
  }

  void add_requests() {
    auto& totals = prometheus::BuildCounter()
                       .Name("berth_requests_total")
                       .Help("Calls of kube-scheduler, by verb and outcome.")
                       .Register(registry);
    auto& durations = prometheus::BuildHistogram()
                          .Name("berth_request_duration_seconds")
                          .Help("From the body of a call to its reply, without the wire.")
                          .Register(registry);
    for (const Verb verb : kVerbs) {
      for (const Outcome outcome : kOutcomes) {
        const prometheus::Labels labels = {{"verb", std::string(service::to_string(verb))},
                                           {"outcome", std::string(service::to_string(outcome))}};
        requests[index_of(verb)][index_of(outcome)] = {&totals.Add(labels),
                                                       &durations.Add(labels, duration_buckets())};
      }
    }
  }

  void add_refusals() {
    auto& family = prometheus::BuildCounter()
                       .Name("berth_refusals_total")
                       .Help("Nodes refused by filter, by the stage that refused them.")
                       .Register(registry);
    for (const Stage stage : placement::kAllStages) {
      refusals[index_of(stage)] =
          &family.Add({{"stage", std::string(placement::to_string(stage))}});
    }
  }

  void add_second_looks() {
    auto& family = prometheus::BuildCounter()
                       .Name("berth_second_looks_total")
                       .Help("Filters that looked again before they refused every node.")
                       .Register(registry);
    for (const service::SecondLook look : service::kAllSecondLooks) {
      second_looks[index_of(look)] = &family.Add({{"result", std::string(to_string(look))}});
    }
  }

  void add_doubts() {
    auto& family = prometheus::BuildCounter()
                       .Name("berth_unreadable_quantities_total")
                       .Help("Requests and sizes that cannot be read or are negative, as seen.")
                       .Register(registry);
    for (const QuantityOf of : kQuantityOf) {
      unreadable_quantities[index_of(of)] = &family.Add({{"of", word(of)}});
    }
    unknown_affinity = &prometheus::BuildCounter()
                            .Name("berth_unknown_affinity_total")
                            .Help("Calls whose pod's affinity annotation names no mode.")
                            .Register(registry)
                            .Add({});
  }

  Reloads add_reloads(const char* name, const char* help) {
    auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry);
    Reloads reloads{};
    for (const ReloadResult result : kReloadResults) {
      reloads[index_of(result)] = &family.Add({{"result", word(result)}});
    }
    return reloads;
  }

  void add_expectations() {
    auto& family = prometheus::BuildCounter()
                       .Name("berth_expected_placements_total")
                       .Help("Winners of prioritize, by what became of them.")
                       .Register(registry);
    for (const service::ExpectationEnd end : service::kAllExpectationEnds) {
      expectation_ends[index_of(end)] =
          &family.Add({{"end", std::string(service::to_string(end))}});
    }
    expected = add_gauge("berth_expected_placements", "Winners that are not seen bound yet.");
  }

  BySource add_by_source(const char* name, const char* help, prometheus::Labels labels = {}) {
    auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry);
    BySource counters{};
    for (const cluster::Source source : cluster::kAllSources) {
      labels["source"] = cluster::to_string(source);
      counters[index_of(source)] = &family.Add(labels);
    }
    return counters;
  }

  void add_sources() {
    for (const cluster::RelistReason reason : cluster::kAllRelistReasons) {
      relists[index_of(reason)] =
          add_by_source("berth_source_relists_total", "Complete lists of a live cluster's source.",
                        {{"reason", std::string(cluster::to_string(reason))}});
    }
    events = add_by_source("berth_source_events_total", "Watch events, bookmarks included.");
    unreadable = add_by_source("berth_source_unreadable_total", "Objects that were left out.");
    failures = add_by_source("berth_source_failures_total", "Failures that are tried again.");
    source_synced = &prometheus::BuildGauge()
                         .Name("berth_source_synced")
                         .Help("1 when everything of the source is known, else 0.")
                         .Register(registry);
    source_age = &prometheus::BuildGauge()
                      .Name("berth_source_age_seconds")
                      .Help("Since the API server last said anything about the source.")
                      .Register(registry);
  }

  prometheus::Gauge* add_gauge(const char* name, const char* help) {
    return &prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
  }

  void add_cluster() {
    auto& family = prometheus::BuildGauge()
                       .Name("berth_nodes")
                       .Help("Nodes by their readiness as a place for GPU pods, now.")
                       .Register(registry);
    for (const model::Readiness readiness : model::kAllReadiness) {
      nodes[index_of(readiness)] =
          &family.Add({{"readiness", std::string(model::to_string(readiness))}});
    }
    synced =
        add_gauge("berth_snapshot_present", "1 when there is a snapshot to decide on, else 0.");
    age = add_gauge("berth_snapshot_age_seconds", "Since the snapshot was taken.");
    generation = add_gauge("berth_snapshot_generation", "Grows with every snapshot.");
    snapshot_nodes = add_gauge("berth_snapshot_nodes", "Nodes in the snapshot.");
    pods = add_gauge("berth_snapshot_pods", "Pods known to berth, bound or not.");
  }
};

Metrics::Metrics(std::string_view version) : impl_(std::make_unique<Impl>(version)) {}
Metrics::~Metrics() = default;

void Metrics::count_request(Verb verb, Outcome outcome, std::chrono::nanoseconds took) {
  Impl::Request& request = impl_->requests[index_of(verb)][index_of(outcome)];
  request.total->Increment();
  request.duration->Observe(std::chrono::duration<double>(took).count());
}

void Metrics::count_refusals(Stage stage, std::size_t nodes) {
  impl_->refusals[index_of(stage)]->Increment(static_cast<double>(nodes));
}

void Metrics::count_second_look(service::SecondLook look) {
  if (auto* counter = impl_->second_looks[index_of(look)]) counter->Increment();
}

void Metrics::count_unreadable_quantities(QuantityOf of, std::size_t quantities) {
  impl_->unreadable_quantities[index_of(of)]->Increment(static_cast<double>(quantities));
}

void Metrics::count_unknown_affinity() { impl_->unknown_affinity->Increment(); }

void Metrics::declare_http_refusals(std::span<const std::string_view> listeners,
                                    std::span<const std::string_view> reasons) {
  auto& family = prometheus::BuildCounter()
                     .Name("berth_http_refusals_total")
                     .Help("Requests and connections that the listener itself refused.")
                     .Register(impl_->registry);
  for (const std::string_view listener : listeners) {
    for (const std::string_view reason : reasons) {
      const std::pair<std::string, std::string> key(listener, reason);
      impl_->http_refusals[key] = &family.Add({{"listener", key.first}, {"reason", key.second}});
    }
  }
}

void Metrics::count_http_refusal(std::string_view listener, std::string_view reason) {
  const auto counter = impl_->http_refusals.find({std::string(listener), std::string(reason)});
  if (counter != impl_->http_refusals.end()) counter->second->Increment();
}

void Metrics::count_config_reload(ReloadResult result) {
  impl_->config_reloads[index_of(result)]->Increment();
}

void Metrics::count_cluster_reload(ReloadResult result) {
  impl_->cluster_reloads[index_of(result)]->Increment();
}

void Metrics::set_pods(std::size_t pods) { impl_->pods->Set(static_cast<double>(pods)); }

void Metrics::count_expectation(service::ExpectationEnd end) {
  impl_->expectation_ends[index_of(end)]->Increment();
}
void Metrics::set_expected(std::size_t placements) {
  impl_->expected->Set(static_cast<double>(placements));
}

void Metrics::count_relist(cluster::Source source, cluster::RelistReason reason) {
  impl_->relists[index_of(reason)][index_of(source)]->Increment();
}
void Metrics::count_event(cluster::Source source) { impl_->events[index_of(source)]->Increment(); }
void Metrics::count_unreadable(cluster::Source source) {
  impl_->unreadable[index_of(source)]->Increment();
}
void Metrics::count_failure(cluster::Source source) {
  impl_->failures[index_of(source)]->Increment();
}

void Metrics::set_sources(std::span<const cluster::SourceStatus> sources) {
  for (const cluster::SourceStatus& status : sources) {
    const prometheus::Labels labels = {{"source", std::string(cluster::to_string(status.source))}};
    impl_->source_synced->Add(labels).Set(status.synced ? 1 : 0);
    impl_->source_age->Add(labels).Set(std::chrono::duration<double>(status.silent_for).count());
  }
}

std::string Metrics::expose(const ClusterFacts& cluster) {
  impl_->synced->Set(cluster.has_snapshot ? 1 : 0);
  impl_->age->Set(std::chrono::duration<double>(cluster.age).count());
  impl_->generation->Set(static_cast<double>(cluster.generation));
  impl_->snapshot_nodes->Set(static_cast<double>(cluster.nodes));
  for (const model::Readiness readiness : model::kAllReadiness) {
    const std::size_t i = index_of(readiness);
    impl_->nodes[i]->Set(static_cast<double>(cluster.nodes_by_readiness[i]));
  }
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, impl_->registry.Collect());
  return std::move(text).str();
}

}  // namespace berth::telemetry
