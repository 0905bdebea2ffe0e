# SPDX-License-Identifier: MIT
# tarn_own_cuda: what tarn's own programs on a card are compiled with, host code and kernels.
# Included by the top CMakeLists.txt where TARN_CUDA is on; never exported.
# Knows nothing of single programs.
include_guard()

# The oldest that nvcc 13 knows, and Hopper, with code for what comes after it.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-real 90-real 90-virtual)
endif()
if(TARN_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${TARN_CCACHE})
endif()
if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
endif()
enable_language(CUDA)
set(CMAKE_CUDA_EXTENSIONS OFF)

add_library(tarn_own_cuda INTERFACE)
target_link_libraries(tarn_own_cuda INTERFACE tarn::cuda)
target_compile_definitions(tarn_own_cuda INTERFACE TARN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_compile_options(tarn_own_cuda INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion
        $<$<BOOL:${TARN_WARNINGS_AS_ERRORS}>:-Werror>>
    # -Wpedantic dislikes nvcc's own line markers.
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Wall,-Wextra,-Wshadow,-Wconversion>"
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${TARN_WARNINGS_AS_ERRORS}>>:-Werror=all-warnings>)
