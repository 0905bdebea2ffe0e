# SPDX-License-Identifier: MIT
# Found by find_package(tarn): defines tarn::tarn, and tarn::cuda where find_package(tarn COMPONENTS cuda) asks for it.
# Installed beside the exported targets.
# Knows nothing of the source tree.
include(CMakeFindDependencyMacro)
include(${CMAKE_CURRENT_LIST_DIR}/tarnTargets.cmake)
if("cuda" IN_LIST tarn_FIND_COMPONENTS)
    find_dependency(CUDAToolkit)
    include(${CMAKE_CURRENT_LIST_DIR}/tarn_cuda.cmake)
    set(tarn_cuda_FOUND TRUE)
endif()
