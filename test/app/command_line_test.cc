#include "berth/app/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/model/time.h"

namespace berth::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Result<Command> parse(const std::vector<std::string>& arguments) {
  return parse_command_line(arguments);
}

TEST(CommandLine, ReadsEveryFlagOfServe) {
  const auto got = parse({"serve",
                          "--cluster",
                          "c.json",
                          "--config=b.yaml",
                          "--listen",
                          "[::1]:0",
                          "--admin-listen",
                          "127.0.0.1:1",
                          "--now",
                          "2026-11-30T12:00:00Z",
                          "--insecure-listen",
                          "--log-format",
                          "json",
                          "--log-level",
                          "debug",
                          "--tls-cert",
                          "c",
                          "--tls-key",
                          "k",
                          "--tls-client-ca",
                          "ca"});
  ASSERT_TRUE(got) << got.error().message;
  const auto& flags = std::get<ServeFlags>(*got);
  EXPECT_EQ(flags.cluster_file, "c.json");
  EXPECT_EQ(flags.config_file, "b.yaml");
  EXPECT_EQ(flags.listen, (Endpoint{"::1", 0}));
  EXPECT_EQ(flags.admin_listen, (Endpoint{"127.0.0.1", 1}));
  EXPECT_EQ(flags.now, *model::parse_rfc3339("2026-11-30T12:00:00Z"));
  EXPECT_TRUE(flags.insecure_listen);
  EXPECT_EQ(flags.log_format, telemetry::LogFormat::kJson);
  EXPECT_EQ(flags.log_level, telemetry::LogLevel::kDebug);
  EXPECT_EQ(flags.tls_certificate_file, "c");
  EXPECT_EQ(flags.tls_key_file, "k");
  EXPECT_EQ(flags.tls_client_ca_file, "ca");
}

TEST(CommandLine, LeavesOutWhatWasNotSaid) {
  const auto got = parse({"serve", "--cluster", "c.json"});
  ASSERT_TRUE(got) << got.error().message;
  const auto& flags = std::get<ServeFlags>(*got);
  EXPECT_EQ(flags.config_file, "");
  EXPECT_EQ(flags.listen, std::nullopt);
  EXPECT_EQ(flags.now, std::nullopt);
  EXPECT_FALSE(flags.insecure_listen);
}

TEST(CommandLine, PrintsVersionAndHelp) {
  const auto version_text = parse({"version"});
  ASSERT_TRUE(version_text);
  EXPECT_EQ(std::get<PrintText>(*version_text).text, "berth " + std::string(version()) + "\n");
  const auto version_flag = parse({"--version"});
  ASSERT_TRUE(version_flag) << version_flag.error().message;
  EXPECT_EQ(std::get<PrintText>(*version_flag).text, std::get<PrintText>(*version_text).text);
  const auto help = parse({"--help"});
  ASSERT_TRUE(help);
  EXPECT_THAT(std::get<PrintText>(*help).text, HasSubstr("serve"));
  const auto serve_help = parse({"serve", "--help"});
  ASSERT_TRUE(serve_help);
  EXPECT_THAT(std::get<PrintText>(*serve_help).text, HasSubstr("--admin-listen"));
}

struct UsageCase {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;
};
class UsageError : public ::testing::TestWithParam<UsageCase> {};

TEST_P(UsageError, IsOneLine) {
  const auto got = parse(GetParam().arguments);
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().message, HasSubstr(GetParam().message));
  EXPECT_THAT(got.error().message, Not(HasSubstr("\n")));
}
INSTANTIATE_TEST_SUITE_P(
    Arguments, UsageError,
    ::testing::Values(
        UsageCase{"Nothing", {}, "a command is needed: serve or version"},
        UsageCase{"Unknown", {"fly"}, "unknown command \"fly\"; there are: serve or version"},
        UsageCase{"Misspelt", {"srve"}, "did you mean \"serve\"?"},
        UsageCase{"TwoClusters", {"serve", "--cluster", "c", "--kubeconfig", "k"}, "one cluster"},
        UsageCase{"ContextOfAFile", {"serve", "--cluster", "c", "--context", "k"}, "--context"},
        UsageCase{"NoName", {"serve", "--kubeconfig", ""}, "--kubeconfig: needs a name"},
        UsageCase{"UnknownFlag", {"serve", "--cluster", "c", "--kubeconfg", "k"}, "--kubeconfg"},
        UsageCase{"NoValue", {"serve", "--cluster"}, "--cluster"},
        UsageCase{"Twice", {"serve", "--cluster", "a", "--cluster", "b"}, "--cluster"},
        UsageCase{"Listen",
                  {"serve", "--cluster", "c", "--listen", "x"},
                  "--listen: \"x\" is not ADDR:PORT"},
        UsageCase{"AdminListen",
                  {"serve", "--cluster", "c", "--admin-listen", "1.2.3.4"},
                  "--admin-listen: \"1.2.3.4\" is not ADDR:PORT"},
        UsageCase{"Now", {"serve", "--cluster", "c", "--now", "noon"}, "--now: "},
        UsageCase{"Format",
                  {"serve", "--cluster", "c", "--log-format", "xml"},
                  "--log-format: \"xml\" is not allowed; use text or json"},
        UsageCase{"Level",
                  {"serve", "--cluster", "c", "--log-level", "loud"},
                  "--log-level: \"loud\" is not allowed; use debug, info, warn or error"},
        UsageCase{"EmptyConfig", {"serve", "--cluster", "c", "--config", ""}, "--config"},
        UsageCase{"Newline", {"a\nb"}, "unknown command \"a\\nb\""}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ApplyFlags, WinOverTheFile) {
  ServeFlags flags;
  flags.listen = Endpoint{"127.0.0.1", 1};
  flags.log_level = telemetry::LogLevel::kError;
  Configuration file;
  file.log.format = telemetry::LogFormat::kJson;
  const auto got = apply_flags(file, flags);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->listen, (Endpoint{"127.0.0.1", 1}));
  EXPECT_EQ(got->admin_listen, file.admin_listen);
  EXPECT_EQ(got->log.level, telemetry::LogLevel::kError);
  EXPECT_EQ(got->log.format, telemetry::LogFormat::kJson);
}

struct GuardCase {
  const char* name;
  const char* listen;
  const char* admin_listen;
  TlsConfiguration tls;
  bool insecure;
  const char* refusal;  ///< empty: allowed
  bool admin_tls;
};
class Guard : public ::testing::TestWithParam<GuardCase> {};

TEST_P(Guard, KeepsOpenListenersToThoseWhoSaySo) {
  Configuration configuration;
  configuration.listen = *parse_endpoint(GetParam().listen);
  configuration.admin_listen = *parse_endpoint(GetParam().admin_listen);
  configuration.tls = GetParam().tls;
  ServeFlags flags;
  flags.insecure_listen = GetParam().insecure;
  const auto got = apply_flags(configuration, flags);
  EXPECT_EQ(got.has_value(), std::string_view(GetParam().refusal).empty());
  if (!got) {
    EXPECT_THAT(got.error().message, HasSubstr(GetParam().refusal));
  }
  EXPECT_EQ(admin_speaks_tls(configuration, flags), GetParam().admin_tls);
}
INSTANTIATE_TEST_SUITE_P(
    Listeners, Guard,
    ::testing::Values(
        GuardCase{"Loopback", "127.0.0.1:1", "[::1]:2", {}, false, "", false},
        GuardCase{"OpenScheduler",
                  "0.0.0.0:1",
                  "127.0.0.1:2",
                  {},
                  false,
                  "listen 0.0.0.0:1 is not a loopback address",
                  false},
        GuardCase{"OpenAdmin",
                  "127.0.0.1:1",
                  "[::]:2",
                  {},
                  false,
                  "adminListen [::]:2 is not a loopback address",
                  false},
        GuardCase{"ServerCertificateIsNotEnough",
                  "0.0.0.0:1",
                  "127.0.0.1:2",
                  {"c", "k", ""},
                  false,
                  "--insecure-listen",
                  false},
        GuardCase{
            "ClientCertificates", "0.0.0.0:1", "0.0.0.0:2", {"c", "k", "ca"}, false, "", true},
        GuardCase{"ClientCertificatesLocalAdmin",
                  "0.0.0.0:1",
                  "127.0.0.1:2",
                  {"c", "k", "ca"},
                  false,
                  "",
                  false},
        GuardCase{"Insecure", "0.0.0.0:1", "0.0.0.0:2", {}, true, "", false},
        GuardCase{
            "InsecureAdminBesideTls", "0.0.0.0:1", "0.0.0.0:2", {"c", "k", "ca"}, true, "", false},
        GuardCase{"KeyMissing",
                  "127.0.0.1:1",
                  "127.0.0.1:2",
                  {"c", "", ""},
                  false,
                  "--tls-cert and --tls-key come together",
                  false},
        GuardCase{"CaAlone",
                  "127.0.0.1:1",
                  "127.0.0.1:2",
                  {"", "", "ca"},
                  false,
                  "--tls-client-ca needs --tls-cert and --tls-key",
                  false}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace berth::app
