# How a folder becomes a target. Sources are globbed: adding a file needs no change here.

# ---- precompiled headers: one for pure folders, one with Asio, one for tests -----------------

set(PCH_STD
  <algorithm> <array> <charconv> <chrono> <compare> <cstddef> <cstdint> <cstring> <deque>
  <functional> <iterator> <limits> <map> <memory> <optional> <set> <span> <string> <string_view>
  <tuple> <type_traits> <utility> <variant> <vector>
  <fmt/format.h> <tl/expected.hpp>)
set(PCH_ASIO
  <boost/asio/awaitable.hpp> <boost/asio/co_spawn.hpp> <boost/asio/detached.hpp>
  <boost/asio/io_context.hpp> <boost/asio/steady_timer.hpp> <boost/asio/use_awaitable.hpp>
  <boost/asio/as_tuple.hpp> <boost/asio/experimental/awaitable_operators.hpp>)

function(make_pch name)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pch/${name}.cc CONTENT "")
  add_library(pch_${name} OBJECT ${CMAKE_BINARY_DIR}/pch/${name}.cc)
  target_precompile_headers(pch_${name} PRIVATE ${ARGN})
  target_link_libraries(pch_${name} PRIVATE warnings)
endfunction()

# Under a sanitizer, tests and the command line are compiled once and hardly run: compiling is what
# takes the time.
add_library(quick_to_compile INTERFACE)
if(CLOUDULER_SANITIZE)
  target_compile_options(quick_to_compile INTERFACE -O0)
endif()
# What fuzzers are led by: coverage of the folders that they look into. These are what
# -fsanitize=fuzzer-no-link stands for; that itself would have to be in the precompiled headers too.
add_library(coverage INTERFACE)
if(CLOUDULER_FUZZERS)
  target_compile_options(coverage INTERFACE
    -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
endif()
make_pch(pure ${PCH_STD})
make_pch(async ${PCH_STD} ${PCH_ASIO})
make_pch(app ${PCH_STD} ${PCH_ASIO})
target_link_libraries(pch_app PRIVATE quick_to_compile)
make_pch(test ${PCH_STD} ${PCH_ASIO} <gtest/gtest.h>)
target_link_libraries(pch_test PRIVATE GTest::gtest quick_to_compile)

function(clouduler_pch target kind)
  target_precompile_headers(${target} REUSE_FROM pch_${kind})
endfunction()

# ---- folders ---------------------------------------------------------------------------------

set(not_fuzzed drivers app sim)

# clouduler_library(NAME [PURE] [ROOT dir] [DEPS folder...] [LIBS target...])
function(clouduler_library name)
  cmake_parse_arguments(ARG "PURE" "ROOT" "DEPS;LIBS" ${ARGN})
  if(NOT ARG_ROOT)
    set(ARG_ROOT ${PROJECT_SOURCE_DIR}/src/${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARG_ROOT}/*.cc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${ARG_ROOT}/*.h)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/app/main.cc)
  if(NOT sources AND NOT headers)
    return()
  endif()

  if(sources)
    set(scope PUBLIC)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PRIVATE warnings)
    if(NOT name IN_LIST not_fuzzed)
      target_link_libraries(${name} PRIVATE coverage)
    endif()
    if(name STREQUAL app)
      target_link_libraries(app PRIVATE quick_to_compile)
      clouduler_pch(app app)
    elseif(ARG_PURE)
      clouduler_pch(${name} pure)
    else()
      clouduler_pch(${name} async)
    endif()
  else()
    set(scope INTERFACE)
    add_library(${name} INTERFACE)
  endif()
  target_include_directories(${name} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  foreach(dep IN LISTS ARG_DEPS)
    if(TARGET ${dep})
      target_link_libraries(${name} ${scope} ${dep})
    endif()
  endforeach()
  target_link_libraries(${name} ${scope} ${ARG_LIBS})
  set_property(GLOBAL APPEND PROPERTY CLOUDULER_FOLDERS ${name})
endfunction()

# What a test, a fuzzer or a benchmark may link: every folder that exists.
function(all_folders out)
  get_property(folders GLOBAL PROPERTY CLOUDULER_FOLDERS)
  set(${out} ${folders} PARENT_SCOPE)
endfunction()

# tests/FOLDER/**.cc -> FOLDER_test; tests/support/ is a library that all of them link.
function(clouduler_tests)
  include(GoogleTest)
  all_folders(folders)
  set(pure core log cluster stream durable container kafka)
  set(simulated drivers sim)

  file(GLOB_RECURSE support CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.cc)
  if(support)
    add_library(test_support STATIC ${support})
    target_link_libraries(test_support
      PUBLIC ${folders} GTest::gtest PRIVATE warnings quick_to_compile)
    clouduler_pch(test_support test)
  endif()

  # The HTTP side over a service in memory: what the conformance suite can be tried on by itself.
  if(TARGET test_support AND TARGET drivers)
    add_executable(conformance_fake EXCLUDE_FROM_ALL
      ${PROJECT_SOURCE_DIR}/tests/conformance/fake_server.cc)
    target_link_libraries(conformance_fake PRIVATE test_support warnings)
    clouduler_pch(conformance_fake async)
  endif()

  foreach(folder IN ITEMS core log cluster stream durable container kafka ports adapters drivers app sim)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cc)
    if(NOT sources)
      continue()
    endif()
    set(linked ${folders})
    if(folder IN_LIST pure OR folder STREQUAL sim)
      list(REMOVE_ITEM linked adapters app)  # these tests stay quick to link
    endif()
    if(folder IN_LIST simulated)
      list(APPEND sources ${PROJECT_SOURCE_DIR}/tests/leaks.cc)
    endif()
    add_executable(${folder}_test ${sources})
    target_link_libraries(${folder}_test PRIVATE
      ${linked} warnings quick_to_compile GTest::gmock GTest::gtest_main)
    if(TARGET test_support AND NOT folder STREQUAL sim)
      target_link_libraries(${folder}_test PRIVATE test_support)
    endif()
    target_include_directories(${folder}_test PRIVATE
      ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${folder}_test PRIVATE
      CLOUDULER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    clouduler_pch(${folder}_test test)
    gtest_discover_tests(${folder}_test DISCOVERY_MODE PRE_TEST TEST_PREFIX ${folder}.
      PROPERTIES TIMEOUT 180)
  endforeach()
endfunction()

# fuzz/NAME_fuzz.cc -> NAME_fuzz. ctest replays its corpus; ./dev fuzz looks for more.
function(clouduler_fuzzers)
  if(NOT CLOUDULER_FUZZERS)
    return()
  endif()
  all_folders(folders)
  add_custom_target(fuzzers)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*_fuzz.cc)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "_fuzz$" "" corpus ${name})
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ${folders} warnings coverage)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    clouduler_pch(${name} async)
    add_dependencies(fuzzers ${name})
    if(EXISTS ${PROJECT_SOURCE_DIR}/fuzz/corpus/${corpus})
      add_test(NAME fuzz.${corpus}.corpus
        COMMAND ${name} -runs=0 ${PROJECT_SOURCE_DIR}/fuzz/corpus/${corpus})
    endif()
  endforeach()
endfunction()

# bench/NAME_bench.cc -> NAME_bench, built only by the target benches.
function(clouduler_benches)
  all_folders(folders)
  add_custom_target(benches)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*_bench.cc)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${name} PRIVATE ${folders} warnings allocator benchmark::benchmark_main)
    clouduler_pch(${name} async)
    add_dependencies(benches ${name})
  endforeach()
  # bench/load/: the load programs of bench/compare, one executable that knows nothing of src/.
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/load/*.cc)
  add_executable(bench_load EXCLUDE_FROM_ALL ${sources})
  target_include_directories(bench_load PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(bench_load PRIVATE warnings fmt::fmt Threads::Threads)
  clouduler_pch(bench_load pure)
  add_dependencies(benches bench_load)
endfunction()
