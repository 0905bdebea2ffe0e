# SPDX-License-Identifier: MIT
# The units of cpu_bench and latency_bench, and the rivals found here; one that is missing is left out of the table.
# Included by bench/CMakeLists.txt. Debian: libopenblas-dev libblis-dev libeigen3-dev libdnnl-dev libxsmm-dev.
# Knows nothing of what is measured.
target_sources(cpu_bench PRIVATE
    cpu_gemm_rows.cpp cpu_conv_rows.cpp cpu_pointwise_rows.cpp cpu_memory_rows.cpp cpu_recurrent_rows.cpp
    cpu_limits.cpp cpu_rivals_blas.cpp cpu_rivals_onnxruntime.cpp latency_onnxruntime.cpp)
target_link_libraries(cpu_bench PRIVATE ${CMAKE_DL_LIBS})

# Limits of the processor are measured with its widest instructions, whatever the rest is compiled for.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag("-mavx2 -mfma" TARN_TAKES_AVX2)
if(TARN_TAKES_AVX2)
    set_source_files_properties(cpu_limits.cpp PROPERTIES COMPILE_OPTIONS "-O3;-mavx2;-mfma")
endif()

find_package(Eigen3 QUIET NO_MODULE)
if(TARGET Eigen3::Eigen)
    set(eigen_units cpu_rivals_eigen.cpp cpu_rivals_eigen_recurrent.cpp)
    target_sources(cpu_bench PRIVATE ${eigen_units})
    target_link_libraries(cpu_bench PRIVATE Eigen3::Eigen)
    if(TARN_TAKES_AVX2) # -march=znver3 halves its products with g++ 12
        set_source_files_properties(${eigen_units} PROPERTIES COMPILE_OPTIONS "-O3;-march=haswell;-w")
    endif()
endif()

find_path(TARN_ONEDNN_INCLUDE dnnl.hpp)
find_library(TARN_ONEDNN dnnl)
mark_as_advanced(TARN_ONEDNN_INCLUDE TARN_ONEDNN)
if(TARN_ONEDNN_INCLUDE AND TARN_ONEDNN) # its own package file wants OpenCL's headers, which are not needed here
    target_sources(cpu_bench PRIVATE cpu_rivals_onednn.cpp)
    target_include_directories(cpu_bench SYSTEM PRIVATE ${TARN_ONEDNN_INCLUDE})
    target_link_libraries(cpu_bench PRIVATE ${TARN_ONEDNN})
endif()

find_path(TARN_LIBXSMM_INCLUDE libxsmm.h)
find_library(TARN_LIBXSMM libxsmm.a)
find_library(TARN_LIBXSMM_NOBLAS libxsmmnoblas.a)
mark_as_advanced(TARN_LIBXSMM_INCLUDE TARN_LIBXSMM TARN_LIBXSMM_NOBLAS)
if(TARN_LIBXSMM_INCLUDE AND TARN_LIBXSMM AND TARN_LIBXSMM_NOBLAS)
    find_package(Threads REQUIRED)
    target_sources(cpu_bench PRIVATE cpu_rivals_libxsmm.cpp)
    target_include_directories(cpu_bench SYSTEM PRIVATE ${TARN_LIBXSMM_INCLUDE})
    target_link_libraries(cpu_bench PRIVATE ${TARN_LIBXSMM} ${TARN_LIBXSMM_NOBLAS} Threads::Threads)
endif()

target_sources(latency_bench PRIVATE latency_onnxruntime.cpp)
target_link_libraries(latency_bench PRIVATE ${CMAKE_DL_LIBS})
