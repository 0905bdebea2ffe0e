# SPDX-License-Identifier: MIT
# tarn::cuda: tarn::tarn and what programs on a card need beside it: CUDA's runtime, cuBLASLt, and C++20 for .cu files.
# tarn::cudnn: tarn::cuda and cuDNN 9, for <tarn/device/dnn.hpp>; defined where its header and library are found.
# Included where a build of tarn has TARN_CUDA on, and by tarnConfig.cmake for its component cuda.
# Chooses no architecture: that is the user's (CMAKE_CUDA_ARCHITECTURES).
find_package(CUDAToolkit REQUIRED)

if(NOT TARGET tarn::cuda)
    add_library(tarn::cuda INTERFACE IMPORTED GLOBAL)
    target_link_libraries(tarn::cuda INTERFACE tarn::tarn CUDA::cudart CUDA::cublasLt)
    # By hand: CMake 3.25 knows no C++20 of nvcc 13, and cxx_std_20 is not one for .cu files.
    target_compile_options(tarn::cuda INTERFACE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20>)
endif()

# CMake's package of CUDA knows no cuDNN. It lies beside CUDA, in a folder of its own (CUDNN_ROOT), or in the system's.
set(cudnn_hints ${CUDNN_ROOT} $ENV{CUDNN_ROOT} ${CUDAToolkit_BIN_DIR}/.. ${CUDAToolkit_LIBRARY_DIR}/..)
find_path(TARN_CUDNN_INCLUDE_DIR NAMES cudnn_graph.h HINTS ${cudnn_hints} PATH_SUFFIXES include)
find_library(TARN_CUDNN_LIBRARY NAMES cudnn HINTS ${cudnn_hints} PATH_SUFFIXES lib64 lib lib/x64)
mark_as_advanced(TARN_CUDNN_INCLUDE_DIR TARN_CUDNN_LIBRARY)
if(TARN_CUDNN_INCLUDE_DIR AND TARN_CUDNN_LIBRARY AND NOT TARGET tarn::cudnn)
    add_library(tarn::cudnn INTERFACE IMPORTED GLOBAL)
    target_include_directories(tarn::cudnn SYSTEM INTERFACE ${TARN_CUDNN_INCLUDE_DIR})
    target_link_libraries(tarn::cudnn INTERFACE tarn::cuda ${TARN_CUDNN_LIBRARY})
endif()
