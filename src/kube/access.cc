#include "berth/kube/access.h"

#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "berth/codec/extender_reply.h"
#include "berth/codec/yaml.h"

namespace berth::kube {
namespace {

using codec::YamlValue;

constexpr std::size_t kMaxKubeconfigBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxTokenBytes = std::size_t{1} << 20;

Error refuse(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

/// The member of a map, or null when it is missing, null, or `value` is no map.
const YamlValue* member(const YamlValue* value, std::string_view key) {
  if (value == nullptr || value->kind != YamlValue::Kind::kMap) return nullptr;
  for (std::size_t i = 0; i < value->keys.size(); ++i) {
    if (value->keys[i].text == key && value->items[i].kind != YamlValue::Kind::kNull) {
      return &value->items[i];
    }
  }
  return nullptr;
}

std::string text(const YamlValue* value, std::string_view key) {
  const YamlValue* found = member(value, key);
  return found != nullptr && found->kind == YamlValue::Kind::kScalar ? found->text : std::string();
}

/// One kubeconfig file.
struct Kubeconfig {
  std::string file;
  YamlValue root;

  /// The named entry of a list such as `clusters`: {name: ..., cluster: {...}}.
  [[nodiscard]] const YamlValue* find(std::string_view list, std::string_view kind,
                                      std::string_view name) const {
    const YamlValue* entries = member(&root, list);
    if (entries == nullptr || entries->kind != YamlValue::Kind::kSequence) return nullptr;
    for (const YamlValue& entry : entries->items) {
      if (text(&entry, "name") == name) return member(&entry, kind);
    }
    return nullptr;
  }

  [[nodiscard]] std::string beside(const std::string& path) const {
    if (path.empty() || path.front() == '/') return path;
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? path : file.substr(0, slash + 1) + path;
  }
};

Result<Kubeconfig> parse(const std::string& file, std::string_view contents) {
  std::vector<YamlValue> documents;
  codec::YamlProblem problem;
  codec::YamlLimits limits;
  limits.bytes = kMaxKubeconfigBytes;
  if (!codec::parse_yaml(contents, limits, documents, problem)) {
    return refuse("kubeconfig " + file + ":" + std::to_string(problem.line) + ":" +
                  std::to_string(problem.column) + ": " + problem.message);
  }
  Kubeconfig config{file, {}};
  if (!documents.empty()) config.root = std::move(documents.front());
  if (config.root.kind == YamlValue::Kind::kScalar ||
      config.root.kind == YamlValue::Kind::kSequence) {
    return refuse("kubeconfig " + file + ": want a map with clusters, users and contexts");
  }
  return config;
}

/// Where something was found.
struct Found {
  const YamlValue* value = nullptr;
  const Kubeconfig* in = nullptr;
};

Found find(const std::vector<Kubeconfig>& configs, std::string_view list, std::string_view kind,
           std::string_view name) {
  for (const Kubeconfig& config : configs) {
    if (const YamlValue* value = config.find(list, kind, name)) return {value, &config};
  }
  return {};
}

Result<std::string> decode_base64(std::string text, const std::string& where) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  text.erase(std::remove_if(text.begin(), text.end(), is_space), text.end());
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) return refuse(where + ": is not base64");
  const auto padding = std::min<std::size_t>(text.size() - text.find_last_not_of('=') - 1, 2);
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

/// KEY-data wins over KEY, as in client-go.
Result<Pem> read_pem(const Found& found, const std::string& key, const std::string& where) {
  Pem pem;
  if (const std::string data = text(found.value, key + "-data"); !data.empty()) {
    auto decoded = decode_base64(data, where + "." + key + "-data");
    if (!decoded) return decoded.error();
    pem.text = *std::move(decoded);
    return pem;
  }
  pem.file = found.in->beside(text(found.value, key));
  return pem;
}

/// Takes https://HOST[:PORT][/PATH] apart.
Status read_server(const std::string& server, const std::string& where, Access& access) {
  const auto bad = [&](std::string_view why) {
    return refuse(where + ".server: " + codec::quote_json(server.substr(0, 200)) + " " +
                  std::string(why));
  };
  std::string_view rest = server;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    access.tls = false;
    access.port = 80;
  } else {
    return bad("is not https://HOST:PORT");
  }
  const std::size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    access.path_prefix = rest.substr(slash);
    while (access.path_prefix.ends_with('/')) access.path_prefix.pop_back();
    rest = rest.substr(0, slash);
  }
  std::string_view port;
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return bad("has a bracket without its end");
    access.host = rest.substr(1, close - 1);
    port = rest.substr(close + 1);
    if (!port.empty() && port.front() != ':') return bad("is not https://HOST:PORT");
  } else {
    const std::size_t colon = rest.find(':');
    access.host = rest.substr(0, colon);
    port = colon == std::string_view::npos ? std::string_view() : rest.substr(colon);
  }
  if (!port.empty()) {
    port.remove_prefix(1);
    const char* const end = port.data() + port.size();
    const auto [stop, problem] = std::from_chars(port.data(), end, access.port);
    if (problem != std::errc() || stop != end || access.port < 1 || access.port > 65535) {
      return bad("has no port between 1 and 65535");
    }
  }
  constexpr std::string_view kNotInHost = " \t\r\n@?#";
  if (access.host.empty() || access.host.find_first_of(kNotInHost) != std::string::npos) {
    return bad("has no usable host");
  }
  return ok();
}

Status read_cluster(const Found& cluster, const std::string& where, Access& access) {
  if (!text(cluster.value, "proxy-url").empty()) {
    return refuse(where + ".proxy-url: proxies are not supported");
  }
  if (Status server = read_server(text(cluster.value, "server"), where, access); !server) {
    return server;
  }
  access.tls_server_name = text(cluster.value, "tls-server-name");
  access.insecure_skip_tls_verify = text(cluster.value, "insecure-skip-tls-verify") == "true";
  auto authority = read_pem(cluster, "certificate-authority", where);
  if (!authority) return authority.error();
  access.certificate_authority = *std::move(authority);
  return ok();
}

Status refuse_unsupported(const Found& user, const std::string& where) {
  if (const YamlValue* exec = member(user.value, "exec")) {
    return refuse(where + ".exec: credential plugins are not supported (" +
                  codec::quote_json(text(exec, "command")) +
                  "); use a token, a client certificate, or run berth in the cluster");
  }
  if (member(user.value, "auth-provider") != nullptr) {
    return refuse(where + ".auth-provider: not supported; use a token or a client certificate");
  }
  if (!text(user.value, "username").empty()) {
    return refuse(where + ".username: basic authentication is not supported by API servers");
  }
  for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    if (member(user.value, key) != nullptr) {
      return refuse(where + "." + key + ": impersonation is not supported");
    }
  }
  return ok();
}

Status read_user(const Found& user, const std::string& where, Access& access) {
  if (Status supported = refuse_unsupported(user, where); !supported) return supported;
  auto certificate = read_pem(user, "client-certificate", where);
  if (!certificate) return certificate.error();
  auto key = read_pem(user, "client-key", where);
  if (!key) return key.error();
  if (certificate->empty() != key->empty()) {
    return refuse(where + ": client-certificate and client-key come together");
  }
  access.client_certificate = *std::move(certificate);
  access.client_key = *std::move(key);
  access.token = text(user.value, "token");
  access.token_file = user.in->beside(text(user.value, "tokenFile"));
  return ok();
}

Result<std::vector<Kubeconfig>> load_all(std::span<const std::string> files,
                                         const ReadFile& read_file) {
  std::vector<Kubeconfig> configs;
  for (const std::string& file : files) {
    const auto contents = read_file(file, kMaxKubeconfigBytes);
    if (!contents && files.size() > 1 && contents.error().code == ErrorCode::kNotFound) continue;
    if (!contents) return refuse("kubeconfig: " + contents.error().message);
    auto config = parse(file, *contents);
    if (!config) return config.error();
    configs.push_back(*std::move(config));
  }
  if (configs.empty()) return refuse("no kubeconfig: none of the files exists");
  return configs;
}

}  // namespace

Result<Access> access_from_kubeconfig(std::span<const std::string> files, std::string_view context,
                                      const ReadFile& read_file) {
  const auto loaded = load_all(files, read_file);
  if (!loaded) return loaded.error();
  const std::vector<Kubeconfig>& configs = *loaded;
  const std::string& first = configs.front().file;

  std::string chosen(context);
  for (const Kubeconfig& config : configs) {
    if (chosen.empty()) chosen = text(&config.root, "current-context");
  }
  if (chosen.empty()) {
    return refuse("kubeconfig " + first + ": current-context is not set; use --context NAME");
  }
  const auto missing = [&](std::string_view what, const std::string& name) {
    return refuse("kubeconfig " + first + ": there is no " + std::string(what) + " " +
                  codec::quote_json(name.substr(0, 200)));
  };
  const Found settings = find(configs, "contexts", "context", chosen);
  if (settings.value == nullptr) return missing("context", chosen);
  const std::string cluster_name = text(settings.value, "cluster");
  const std::string user_name = text(settings.value, "user");
  const Found cluster = find(configs, "clusters", "cluster", cluster_name);
  if (cluster.value == nullptr) return missing("cluster", cluster_name);
  const Found user = find(configs, "users", "user", user_name);
  if (user.value == nullptr && !user_name.empty()) return missing("user", user_name);

  Access access;
  const std::string at_cluster =
      "kubeconfig " + cluster.in->file + ": clusters[" + cluster_name + "]";
  if (Status read = read_cluster(cluster, at_cluster, access); !read) return read.error();
  if (user.value != nullptr) {
    const std::string at_user = "kubeconfig " + user.in->file + ": users[" + user_name + "]";
    if (Status read = read_user(user, at_user, access); !read) return read.error();
  }
  access.description = "context " + chosen + " of " + settings.in->file;
  return access;
}

std::vector<std::string> split_kubeconfig_paths(std::string_view paths) {
  std::vector<std::string> files;
  while (!paths.empty()) {
    const std::size_t colon = std::min(paths.find(':'), paths.size());
    if (colon > 0) files.emplace_back(paths.substr(0, colon));
    paths.remove_prefix(std::min(colon + 1, paths.size()));
  }
  return files;
}

Result<Access> access_in_cluster(std::string_view host, std::string_view port,
                                 const ReadFile& read_file, std::string_view folder) {
  const std::string token_file = std::string(folder) + "/token";
  if (host.empty() || port.empty() || !read_file(token_file, kMaxTokenBytes)) {
    return Error{ErrorCode::kNotFound, "not in a pod with a service account"};
  }
  Access access;
  access.host = host;
  const auto [stop, problem] = std::from_chars(port.data(), port.data() + port.size(), access.port);
  if (problem != std::errc() || stop != port.data() + port.size() || access.port < 1 ||
      access.port > 65535) {
    return refuse("KUBERNETES_SERVICE_PORT: " + codec::quote_json(port.substr(0, 100)) +
                  " is no port");
  }
  access.certificate_authority.file = std::string(folder) + "/ca.crt";
  access.token_file = token_file;
  access.description = "service account of this pod";
  return access;
}

}  // namespace berth::kube
