# For find_package(Berth): the target Berth::Berth, with which a program has berth::Main and the plugin API.
# docs/plugin-guide.md shows how.
include(CMakeFindDependencyMacro)
find_dependency(Boost 1.81)
foreach(library fmt simdjson ZLIB OpenSSL Threads CLI11)
  find_dependency(${library})
endforeach()
find_dependency(PkgConfig)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)

include(${CMAKE_CURRENT_LIST_DIR}/BerthTargets.cmake)
add_library(Berth::Berth INTERFACE IMPORTED)
target_link_libraries(Berth::Berth INTERFACE Berth::berth_app)
# The plugin API is C++23, and scores must have the same bits everywhere.
target_compile_features(Berth::Berth INTERFACE cxx_std_23)
target_compile_options(Berth::Berth INTERFACE -ffp-contract=off)
