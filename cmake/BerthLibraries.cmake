# Third-party libraries, all from the distribution. pkg-config is asked for each of them: it alone
# knows the flags that cpp-httplib was built with, on which its class layouts depend.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(openssl REQUIRED IMPORTED_TARGET openssl)
pkg_check_modules(simdjson REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(nlohmann_json REQUIRED IMPORTED_TARGET nlohmann_json)
pkg_check_modules(spdlog REQUIRED IMPORTED_TARGET spdlog)
pkg_check_modules(prometheus REQUIRED IMPORTED_TARGET prometheus-cpp-core)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(cli11 REQUIRED IMPORTED_TARGET CLI11)
