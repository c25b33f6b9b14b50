#include "berth/app/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "berth/model/time.h"
#include "configuration_reader.h"

namespace berth::app {
namespace {

constexpr std::string_view kClusterHelp =
    "The cluster: a file with what `kubectl get nodes,pods -A -o json` (or -o yaml) prints; read "
    "again whenever it changes";

/// The texts of the flags of `berth serve`, before they mean anything.
struct Texts {
  std::string listen;
  std::string admin_listen;
  std::string now;
  std::string log_format;
  std::string log_level;
  std::string tls_cert;
  std::string tls_key;
  std::string tls_client_ca;
};

Error usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

CLI::App* add_serve(CLI::App& app, ServeFlags& flags, Texts& texts) {
  CLI::App* serve = app.add_subcommand("serve", "Answer kube-scheduler's filter and prioritize");
  serve->add_option("--cluster", flags.cluster_file, std::string(kClusterHelp))->type_name("FILE");
  serve
      ->add_option("--kubeconfig", flags.kubeconfig_file,
                   "The cluster: a live one (default: $KUBECONFIG, or the pod's service account)")
      ->type_name("FILE");
  serve->add_option("--context", flags.context, "Context of the kubeconfig (default: its current)")
      ->type_name("NAME");
  serve->add_option("--config", flags.config_file, "Configuration (docs/configuration.md)")
      ->type_name("FILE");
  serve->add_option("--listen", texts.listen, "The scheduler's side (default 127.0.0.1:8888)")
      ->type_name("ADDR:PORT");
  serve
      ->add_option("--admin-listen", texts.admin_listen,
                   "Health and metrics (default 127.0.0.1:8889); port 0 picks a free one")
      ->type_name("ADDR:PORT");
  serve->add_option("--now", texts.now, "Stop the clock at this moment")->type_name("RFC3339");
  serve->add_flag("--insecure-listen", flags.insecure_listen,
                  "Allow addresses beyond loopback without TLS client certificates");
  serve->add_option("--log-format", texts.log_format, "text or json (default text)")
      ->type_name("FORMAT");
  serve->add_option("--log-level", texts.log_level, "debug, info, warn or error (default info)")
      ->type_name("LEVEL");
  serve->add_option("--tls-cert", texts.tls_cert, "Server certificate, PEM")->type_name("FILE");
  serve->add_option("--tls-key", texts.tls_key, "Its key, PEM")->type_name("FILE");
  serve->add_option("--tls-client-ca", texts.tls_client_ca, "CA that signs client certificates")
      ->type_name("FILE");
  return serve;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

/// Reads `text` with `parse` if the flag was given.
template <typename T, typename Parse>
Status interpret(const CLI::App& serve, const char* flag, const std::string& text,
                 std::optional<T>& target, Parse parse) {
  if (serve.count(flag) == 0) return ok();
  auto parsed = parse(text);
  if (!parsed) return usage(std::string(flag) + ": " + parsed.error().message);
  target = *std::move(parsed);
  return ok();
}

/// A parser of words as one that explains.
template <typename T>
auto explained(std::optional<T> (*parse)(std::string_view), std::string_view allowed) {
  return [parse, allowed](const std::string& text) -> Result<T> {
    if (const auto value = parse(text)) return *value;
    return usage(shown(text) + " is not allowed; use " + std::string(allowed));
  };
}

Result<std::string> file_name(const std::string& text) {
  if (text.empty()) return usage("needs the name of a file");
  return text;
}

Result<Command> interpret_serve(const CLI::App& serve, ServeFlags flags, const Texts& texts) {
  const std::array steps = {
      interpret(serve, "--listen", texts.listen, flags.listen, parse_endpoint),
      interpret(serve, "--admin-listen", texts.admin_listen, flags.admin_listen, parse_endpoint),
      interpret(serve, "--now", texts.now, flags.now, model::parse_rfc3339),
      interpret(serve, "--log-format", texts.log_format, flags.log_format,
                explained(telemetry::parse_log_format, "text or json")),
      interpret(serve, "--log-level", texts.log_level, flags.log_level,
                explained(telemetry::parse_log_level, "debug, info, warn or error")),
      interpret(serve, "--tls-cert", texts.tls_cert, flags.tls_certificate_file, file_name),
      interpret(serve, "--tls-key", texts.tls_key, flags.tls_key_file, file_name),
      interpret(serve, "--tls-client-ca", texts.tls_client_ca, flags.tls_client_ca_file,
                file_name)};
  for (const Status& step : steps) {
    if (!step) return step.error();
  }
  if (serve.count("--cluster") != 0 && serve.count("--kubeconfig") != 0) {
    return usage("--cluster and --kubeconfig: one cluster at a time");
  }
  if (serve.count("--cluster") != 0 && serve.count("--context") != 0) {
    return usage("--context: belongs to a kubeconfig, not to --cluster");
  }
  for (const char* flag : {"--cluster", "--kubeconfig", "--context"}) {
    if (serve.count(flag) == 0 || !serve.get_option(flag)->as<std::string>().empty()) continue;
    return usage(std::string(flag) + ": needs a name");
  }
  if (serve.count("--config") != 0 && flags.config_file.empty()) {
    return usage("--config: needs the name of a file");
  }
  return Command(std::move(flags));
}

Status check_guarded(std::string_view name, const Endpoint& endpoint, const TlsConfiguration& tls) {
  if (is_loopback(endpoint) || !tls.client_ca_file.empty()) return ok();
  return usage(std::string(name) + " " + to_string(endpoint) +
               " is not a loopback address: it needs TLS with client certificates (--tls-cert, "
               "--tls-key, --tls-client-ca), or --insecure-listen");
}

Status check_command(std::span<const std::string> arguments) {
  constexpr std::array<std::string_view, 2> kCommands = {"serve", "version"};
  if (arguments.empty()) return usage("a command is needed: " + list_words(kCommands));
  const std::string& command = arguments.front();
  if (command.starts_with('-') ||
      std::find(kCommands.begin(), kCommands.end(), command) != kCommands.end()) {
    return ok();
  }
  const auto guess = closest_word(command, kCommands);
  return usage(
      "unknown command " + shown(command) +
      (guess ? "; did you mean " + shown(*guess) + "?" : "; there are: " + list_words(kCommands)));
}

}  // namespace

std::string_view version() { return BERTH_VERSION; }

Result<Command> parse_command_line(std::span<const std::string> arguments) {
  if (const Status known = check_command(arguments); !known) return known.error();
  CLI::App app("berth places GPU pods: a kube-scheduler extender.", "berth");
  app.require_subcommand(1);
  const std::string version_line = "berth " + std::string(version());
  app.set_version_flag("--version", version_line);
  ServeFlags flags;
  Texts texts;
  const CLI::App* serve = add_serve(app, flags, texts);
  const CLI::App* version_command = app.add_subcommand("version", "Print the version");
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants it
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return Command(PrintText{app.help()});
  } catch (const CLI::CallForVersion&) {
    return Command(PrintText{version_line + "\n"});
  } catch (const CLI::Error& error) {
    return usage(first_line(error.what()));
  }
  if (version_command->parsed()) return Command(PrintText{version_line + "\n"});
  return interpret_serve(*serve, std::move(flags), texts);
}

Result<Configuration> apply_flags(Configuration configuration, const ServeFlags& flags) {
  const auto overlay = [](auto& target, const auto& flag) {
    if (flag) target = *flag;
  };
  overlay(configuration.listen, flags.listen);
  overlay(configuration.admin_listen, flags.admin_listen);
  overlay(configuration.log.format, flags.log_format);
  overlay(configuration.log.level, flags.log_level);
  TlsConfiguration& tls = configuration.tls;
  overlay(tls.certificate_file, flags.tls_certificate_file);
  overlay(tls.key_file, flags.tls_key_file);
  overlay(tls.client_ca_file, flags.tls_client_ca_file);

  if (tls.certificate_file.empty() != tls.key_file.empty()) {
    return usage("--tls-cert and --tls-key come together");
  }
  if (!tls.client_ca_file.empty() && tls.certificate_file.empty()) {
    return usage("--tls-client-ca needs --tls-cert and --tls-key");
  }
  if (flags.insecure_listen) return configuration;
  if (const Status guarded = check_guarded("listen", configuration.listen, tls); !guarded) {
    return guarded.error();
  }
  if (const Status guarded = check_guarded("adminListen", configuration.admin_listen, tls);
      !guarded) {
    return guarded.error();
  }
  return configuration;
}

bool admin_speaks_tls(const Configuration& configuration, const ServeFlags& flags) {
  return !configuration.tls.certificate_file.empty() && !flags.insecure_listen &&
         !is_loopback(configuration.admin_listen);
}

}  // namespace berth::app
