# SPDX-License-Identifier: MIT
# tarn::cuda: tarn::tarn and what programs on a card need beside it: CUDA's runtime, cuBLASLt, and C++20 for .cu files.
# Included where a build of tarn has TARN_CUDA on, and by tarnConfig.cmake for its component cuda.
# Chooses no architecture: that is the user's (CMAKE_CUDA_ARCHITECTURES).
find_package(CUDAToolkit REQUIRED)

if(NOT TARGET tarn::cuda)
    add_library(tarn::cuda INTERFACE IMPORTED GLOBAL)
    target_link_libraries(tarn::cuda INTERFACE tarn::tarn CUDA::cudart CUDA::cublasLt)
    # By hand: CMake 3.25 knows no C++20 of nvcc 13, and cxx_std_20 is not one for .cu files.
    target_compile_options(tarn::cuda INTERFACE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20>)
endif()
