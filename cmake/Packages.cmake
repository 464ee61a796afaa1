# Everything that Debian provides (see ./dev for the package names).

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED CONFIG)
find_package(OpenSSL REQUIRED)
find_package(tl-expected REQUIRED CONFIG)
find_package(fmt REQUIRED CONFIG)
find_package(spdlog REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(simdjson REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED CONFIG)
find_package(prometheus-cpp REQUIRED CONFIG)
find_package(GTest REQUIRED CONFIG)
find_package(benchmark REQUIRED CONFIG)
find_package(PkgConfig REQUIRED)
pkg_check_modules(cbor REQUIRED IMPORTED_TARGET libcbor)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(jemalloc REQUIRED jemalloc)

# What executables allocate with, docs/decisions/0011. Sanitizers bring an allocator of their own.
add_library(allocator INTERFACE)
if(NOT CLOUDULER_SANITIZE)
  target_link_libraries(allocator INTERFACE
    -Wl,--push-state,--no-as-needed ${jemalloc_LINK_LIBRARIES} -Wl,--pop-state)
endif()

# Asio and Beast are compiled once instead of in every file that includes them. The definitions
# are the same everywhere, so that all asynchronous folders can share one precompiled header.
add_compile_definitions(
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
  FMT_SHARED SPDLOG_COMPILED_LIB SPDLOG_FMT_EXTERNAL)

function(compiled_once target header)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/compiled_once/${target}.cc
    CONTENT "#include <${header}>\n")
  add_library(${target} STATIC ${CMAKE_BINARY_DIR}/compiled_once/${target}.cc)
  target_link_libraries(${target} PUBLIC ${ARGN})
  target_compile_options(${target} PRIVATE -w)
endfunction()

compiled_once(asio boost/asio/impl/src.hpp Boost::headers Threads::Threads)
compiled_once(asio_ssl boost/asio/ssl/impl/src.hpp asio OpenSSL::SSL)
compiled_once(beast boost/beast/src.hpp asio)
