# SPDX-License-Identifier: MIT
# tarn_own: what tarn's own tests, examples and benchmarks are compiled with (warnings, sanitizers, ccache).
# Included once by the top CMakeLists.txt; never exported, so that no user of tarn::tarn gets these flags.
# Knows nothing of single programs.
include_guard()

find_program(TARN_CCACHE ccache)
mark_as_advanced(TARN_CCACHE)
if(TARN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${TARN_CCACHE})
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
endif()

add_library(tarn_own INTERFACE)
target_link_libraries(tarn_own INTERFACE tarn::tarn)
# Tests and examples find their data files from here.
target_compile_definitions(tarn_own INTERFACE TARN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
if(MSVC)
    target_compile_options(tarn_own INTERFACE /W4 /permissive- $<$<BOOL:${TARN_WARNINGS_AS_ERRORS}>:/WX>)
else()
    target_compile_options(tarn_own INTERFACE
        -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${TARN_WARNINGS_AS_ERRORS}>:-Werror>)
endif()
if(TARN_SANITIZE)
    list(JOIN TARN_SANITIZE "," sanitizers)
    target_compile_options(tarn_own INTERFACE
        -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # g++'s flow analysis is confused by its own instrumentation, even inside the standard library.
    target_compile_options(tarn_own INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(tarn_own INTERFACE -fsanitize=${sanitizers})
endif()
