# What most files include, compiled once. Off by default, because a change to one of these headers then rebuilds
# everything, and build directories cannot share a compiler cache.
option(BERTH_PRECOMPILE "Precompile the headers that most files include" OFF)
function(berth_precompiled target headers)
  # The first layers do not know what is in these headers.
  if(NOT BERTH_PRECOMPILE OR BERTH_FUZZ OR target MATCHES "^berth_(base|api|runtime)")
    return()
  endif()
  if(NOT TARGET berth_${headers})
    file(WRITE ${CMAKE_BINARY_DIR}/berth_${headers}.cc "")
    add_library(berth_${headers} STATIC EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/berth_${headers}.cc)
    # With the definitions of those who use it, or it would not fit.
    target_link_libraries(berth_${headers} berth_flags fmt::fmt Boost::headers simdjson::simdjson ${ARGN})
    target_include_directories(berth_${headers} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_precompile_headers(berth_${headers} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${headers}.h)
    if(headers STREQUAL "precompiled_tests")
      target_compile_options(berth_${headers} PRIVATE ${BERTH_TEST_OPTIONS})
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM berth_${headers})
endfunction()

# Several files of a folder are compiled as one, so helpers in them must differ in name; of the plugins, whose folders
# are many and small, those of all folders. The preset debug compiles file by file, so that every file includes what it
# needs.
option(BERTH_UNITY "Compile several files at once" OFF)
# The check of symbols looks at single objects of base.
set(BERTH_NO_UNITY berth_base)
# So much source text makes a unit that takes some seconds, and there are enough of them for all processors.
set(BERTH_UNITY_BYTES 80000)
function(berth_unity target)
  if(NOT BERTH_UNITY OR target IN_LIST BERTH_NO_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It takes the included files for headers.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  # What stands in a folder comes before its folders, or they would tear it into small units.
  set(sources ${ARGN})
  list(TRANSFORM sources REPLACE "/([^/]+)$" "/!\\1")
  list(SORT sources)
  list(TRANSFORM sources REPLACE "/!" "/")
  set(unit 0)
  set(bytes 0)
  set(folder "")
  foreach(source ${sources})
    file(SIZE ${source} size)
    math(EXPR bytes "${bytes} + ${size}")
    set(previous "${folder}")
    get_filename_component(folder ${source} DIRECTORY)
    if(bytes GREATER BERTH_UNITY_BYTES OR (NOT folder STREQUAL previous AND NOT target MATCHES "^berth_plugins"))
      math(EXPR unit "${unit} + 1")
      set(bytes ${size})
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
endfunction()

# Under the sanitizers most time goes into compiling tests, and they need not be fast.
set(BERTH_TEST_OPTIONS "" CACHE STRING "Compiler options of tests")

# The unit tests, fuzz targets and benchmarks of the modules, which `all` leaves out.
add_custom_target(units)
function(berth_unit target)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(units ${target})
endfunction()

# Where the headers and libraries are installed with which others build programs: see BerthPackage.cmake.
set(BERTH_HEADERS include/berth-${PROJECT_VERSION})
set(BERTH_LIBRARIES lib/berth-${PROJECT_VERSION})

# berth_module(NAME [DEPS other modules] [LIBS libraries] [TEST_DEPS modules that only tests and benchmarks need])
#
# Makes one static library from src/NAME, one test program from its *_test.cc, one benchmark from its
# *_bench.cc and one fuzz program from each *_fuzz.cc. Sources are found by name, so adding a file
# needs no edit here.
function(berth_module name)
  cmake_parse_arguments(arg "" "" "DEPS;LIBS;TEST_DEPS" ${ARGN})
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
  list(TRANSFORM arg_TEST_DEPS PREPEND berth_)

  if(sources)
    add_library(berth_${name} STATIC ${sources})
    set(scope PUBLIC)
    berth_unity(berth_${name} ${sources})
    berth_precompiled(berth_${name} precompiled)
  else()
    add_library(berth_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(berth_${name} ${scope} $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${BERTH_HEADERS}>)
  # Our warnings are nobody else's business.
  target_link_libraries(berth_${name} ${scope} ${arg_DEPS} ${arg_LIBS} $<BUILD_INTERFACE:berth_flags>)
  if(NOT name STREQUAL sim)  # It is for our own tests.
    install(TARGETS berth_${name} EXPORT BerthTargets ARCHIVE DESTINATION ${BERTH_LIBRARIES} COMPONENT development)
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
    berth_unit(berth_${name}_test)
    target_link_libraries(berth_${name}_test berth_${name} ${arg_TEST_DEPS} GTest::gmock GTest::gtest_main)
    target_compile_options(berth_${name}_test PRIVATE ${BERTH_TEST_OPTIONS})
    berth_unity(berth_${name}_test ${tests})
    berth_precompiled(berth_${name}_test precompiled_tests GTest::gmock)
    add_test(NAME ${name} COMMAND berth_${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS "fast;unit")
  endif()
  if(benches)
    add_executable(berth_${name}_bench ${benches})
    berth_unit(berth_${name}_bench)
    target_link_libraries(berth_${name}_bench berth_${name} ${arg_TEST_DEPS} benchmark::benchmark_main)
    berth_precompiled(berth_${name}_bench precompiled)
  endif()
endfunction()

# A fuzz target: libFuzzer drives it in the fuzz preset, elsewhere a small seeded driver does, so that
# every build type runs it as a test.
function(berth_fuzzer target source library)
  add_executable(${target} ${source})
  berth_unit(${target})
  target_link_libraries(${target} ${library})
  if(BERTH_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${target} COMMAND ${target} -runs=20000 -max_total_time=20 -max_len=4096)
  else()
    if(NOT TARGET berth_fuzz_driver)
      add_library(berth_fuzz_driver OBJECT ${CMAKE_SOURCE_DIR}/tests/fuzz/driver.cc)
      target_link_libraries(berth_fuzz_driver berth_flags)
    endif()
    target_link_libraries(${target} berth_fuzz_driver)
    add_test(NAME ${target} COMMAND ${target} 20000 5)
  endif()
  set_tests_properties(${target} PROPERTIES LABELS "fuzz;unit")
endfunction()
