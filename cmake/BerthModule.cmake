# What most files include, compiled once: it halves the time of a build from nothing. Off by default, because a change
# to one of these headers then rebuilds everything, and build directories cannot share a compiler cache.
option(BERTH_PRECOMPILE "Precompile the headers that most files include" OFF)
function(berth_precompiled target headers)
  # The first layers do not know what is in these headers.
  if(NOT BERTH_PRECOMPILE OR BERTH_FUZZ OR target MATCHES "^berth_(base|api|runtime)")
    return()
  endif()
  if(NOT TARGET berth_${headers})
    file(WRITE ${CMAKE_BINARY_DIR}/berth_${headers}.cc "")
    add_library(berth_${headers} STATIC ${CMAKE_BINARY_DIR}/berth_${headers}.cc)
    # With the definitions of those who use it, or it would not fit.
    target_link_libraries(berth_${headers} berth_flags fmt::fmt Boost::headers simdjson::simdjson ${ARGN})
    target_include_directories(berth_${headers} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_precompile_headers(berth_${headers} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${headers}.h)
  endif()
  target_precompile_headers(${target} REUSE_FROM berth_${headers})
endfunction()

# Several files of a library compiled as one: a third of the time for builds that are made from nothing, such as those
# under the sanitizers. Other builds compile file by file, so that every file includes what it needs.
# Their files have helpers of equal names; of base, the check of symbols looks at single objects.
set(BERTH_NO_UNITY base api plugins net sim app)
option(BERTH_UNITY "Compile several files of a library at once" OFF)

option(BERTH_UNIT_TESTS "Build the unit tests, fuzz targets and benchmarks of the modules" ON)

# berth_module(NAME [DEPS other modules] [LIBS libraries])
#
# Makes one static library from src/NAME, one test program from its *_test.cc, one benchmark from its
# *_bench.cc and one fuzz program from each *_fuzz.cc. Sources are found by name, so adding a file
# needs no edit here.
function(berth_module name)
  cmake_parse_arguments(arg "" "" "DEPS;LIBS" ${ARGN})
  set(dir ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cc)
  set(tests ${sources})
  set(benches ${sources})
  set(fuzzers ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|_fuzz|_main)\\.cc$")
  list(TRANSFORM arg_DEPS PREPEND berth_)

  if(sources)
    add_library(berth_${name} STATIC ${sources})
    set(scope PUBLIC)
    if(BERTH_UNITY AND NOT name IN_LIST BERTH_NO_UNITY)
      set_target_properties(berth_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
      # GCC takes the included files for headers.
      target_compile_options(berth_${name} PRIVATE -Wno-subobject-linkage)
    endif()
    berth_precompiled(berth_${name} precompiled)
  else()
    add_library(berth_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(berth_${name} ${scope} ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(berth_${name} ${scope} ${arg_DEPS} ${arg_LIBS} berth_flags)

  if(NOT BERTH_UNIT_TESTS)
    return()
  endif()
  foreach(fuzzer ${fuzzers})
    get_filename_component(target ${fuzzer} NAME_WE)
    berth_fuzzer(${target} ${fuzzer} berth_${name})
  endforeach()
  if(BERTH_FUZZ)
    # Only what the fuzz programs need is built.
    set_target_properties(berth_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  if(tests)
    add_executable(berth_${name}_test ${tests})
    target_link_libraries(berth_${name}_test berth_${name} GTest::gmock GTest::gtest_main)
    berth_precompiled(berth_${name}_test precompiled_tests GTest::gmock)
    add_test(NAME ${name} COMMAND berth_${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS "fast")
  endif()
  if(benches)
    add_executable(berth_${name}_bench ${benches})
    target_link_libraries(berth_${name}_bench berth_${name} benchmark::benchmark_main)
  endif()
endfunction()

# A fuzz target: libFuzzer drives it in the fuzz preset, elsewhere a small seeded driver does, so that
# every build type runs it as a test.
function(berth_fuzzer target source library)
  add_executable(${target} ${source})
  target_link_libraries(${target} ${library})
  if(BERTH_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${target} COMMAND ${target} -runs=20000 -max_total_time=20 -max_len=4096)
  else()
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/fuzz/driver.cc)
    add_test(NAME ${target} COMMAND ${target} 20000)
  endif()
  set_tests_properties(${target} PROPERTIES LABELS "fuzz")
endfunction()
