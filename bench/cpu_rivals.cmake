# SPDX-License-Identifier: MIT
# Single layers and the rivals found here, for cpu_bench and ops_bench; one that is missing is left out of the table.
# Included by bench/CMakeLists.txt. Debian: libopenblas-dev libblis-dev libeigen3-dev libdnnl-dev libxsmm-dev.
# Knows nothing of what is measured.
add_library(cpu_layers OBJECT
    cpu_gemm_rows.cpp cpu_conv_rows.cpp cpu_winograd_rows.cpp cpu_pointwise_rows.cpp cpu_memory_rows.cpp
    cpu_recurrent_rows.cpp cpu_limits.cpp cpu_rivals_blas.cpp cpu_rivals_onnxruntime.cpp latency_onnxruntime.cpp)
target_link_libraries(cpu_layers PUBLIC tarn_own ${CMAKE_DL_LIBS})
target_link_libraries(cpu_bench PRIVATE cpu_layers)

# Limits of the processor are measured with its widest instructions, whatever the rest is compiled for.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag("-mavx2 -mfma" TARN_TAKES_AVX2)
if(TARN_TAKES_AVX2)
    set_source_files_properties(cpu_limits.cpp PROPERTIES COMPILE_OPTIONS "-O3;-mavx2;-mfma")
endif()

find_package(Eigen3 QUIET NO_MODULE)
if(TARGET Eigen3::Eigen)
    set(eigen_units cpu_rivals_eigen.cpp cpu_rivals_eigen_recurrent.cpp)
    target_sources(cpu_layers PRIVATE ${eigen_units})
    target_link_libraries(cpu_layers PUBLIC Eigen3::Eigen)
    if(TARN_TAKES_AVX2) # -march=znver3 halves its products with g++ 12
        set_source_files_properties(${eigen_units} PROPERTIES COMPILE_OPTIONS "-O3;-march=haswell;-w")
    endif()
endif()

find_path(TARN_ONEDNN_INCLUDE dnnl.hpp)
find_library(TARN_ONEDNN dnnl)
mark_as_advanced(TARN_ONEDNN_INCLUDE TARN_ONEDNN)
if(TARN_ONEDNN_INCLUDE AND TARN_ONEDNN) # its own package file wants OpenCL's headers, which are not needed here
    target_sources(cpu_layers PRIVATE cpu_rivals_onednn.cpp)
    target_include_directories(cpu_layers SYSTEM PRIVATE ${TARN_ONEDNN_INCLUDE})
    target_link_libraries(cpu_layers PUBLIC ${TARN_ONEDNN})
endif()

find_path(TARN_LIBXSMM_INCLUDE libxsmm.h)
find_library(TARN_LIBXSMM libxsmm.a)
find_library(TARN_LIBXSMM_NOBLAS libxsmmnoblas.a)
mark_as_advanced(TARN_LIBXSMM_INCLUDE TARN_LIBXSMM TARN_LIBXSMM_NOBLAS)
if(TARN_LIBXSMM_INCLUDE AND TARN_LIBXSMM AND TARN_LIBXSMM_NOBLAS)
    find_package(Threads REQUIRED)
    target_sources(cpu_layers PRIVATE cpu_rivals_libxsmm.cpp)
    target_include_directories(cpu_layers SYSTEM PRIVATE ${TARN_LIBXSMM_INCLUDE})
    target_link_libraries(cpu_layers PUBLIC ${TARN_LIBXSMM} ${TARN_LIBXSMM_NOBLAS} Threads::Threads)
endif()

target_sources(latency_bench PRIVATE latency_onnxruntime.cpp)
target_link_libraries(latency_bench PRIVATE ${CMAKE_DL_LIBS})

# The same layers, and whole networks, under Google Benchmark.
if(TARGET benchmark::benchmark)
    target_link_libraries(ops_bench PRIVATE cpu_layers benchmark::benchmark ${CMAKE_DL_LIBS})
    foreach(subject IN LISTS profile_subjects)
        if(NOT TARN_BENCH_SUBJECTS OR subject IN_LIST TARN_BENCH_SUBJECTS)
            add_dependencies(ops_bench models_${subject})
            list(APPEND model_files $<TARGET_FILE:models_${subject}>)
        endif()
    endforeach()
    list(JOIN model_files ":" model_files)
    target_compile_definitions(ops_bench PRIVATE "TARN_BENCH_MODELS=\"${model_files}\"")
endif()
