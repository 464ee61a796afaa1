# What makes building quick, and what the presets switch on.

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # A precompiled header is usable from the cache only with these; work trees share one cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

find_program(MOLD mold)
find_program(LLD NAMES ld.lld ld.lld-14)
if(MOLD)
  add_link_options(-fuse-ld=mold)
elseif(LLD)
  add_link_options(-fuse-ld=lld)
endif()

# CLOUDULER_SANITIZE is set by presets: address,undefined or thread.
if(CLOUDULER_SANITIZE)
  add_compile_options(-fsanitize=${CLOUDULER_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CLOUDULER_SANITIZE})
endif()
if(CLOUDULER_SANITIZE MATCHES "thread")
  # Asio's reference counts rely on std::atomic_thread_fence, which the thread sanitizer does not
  # know; without std::atomic they are acquire-release operations that it does.
  add_compile_definitions(BOOST_ASIO_DISABLE_STD_ATOMIC)
endif()
if(CLOUDULER_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-mismatched-new-delete)  # g++ 12 sees it in coroutine frames that are fine
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Otherwise the time stamp inside a precompiled header defeats ccache.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  if(CLOUDULER_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=function)  # clang 14 cannot emit it for coroutines
  endif()
endif()
