# SPDX-License-Identifier: MIT
# Installs tarn where the consumer finds packages, then configures, builds and runs the consumer.
# Called by CTest with CONSUMER, TARN (sources), TARN_BUILD, BUILD, CXX, GENERATOR, and NVCC where CUDA is wanted.
# Knows nothing of what the consumer does.
file(REMOVE_RECURSE ${BUILD})
# Flags of the caller's environment would hide what a user gets.
unset(ENV{CXXFLAGS})
set(prefix ${BUILD}/prefix)

function(step)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "failed (${failed}): ${ARGV}")
    endif()
endfunction()

if(CONSUMER MATCHES "installed$")
    step(${CMAKE_COMMAND} --install ${TARN_BUILD} --prefix ${prefix})
    file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
    foreach(wanted include/tarn/tarn.hpp include/tarn/cpu/simd.hpp include/tarn/device/launches.cuh tarnConfig.cmake
            tarn_cuda.cmake tarnConfigVersion.cmake)
        if(NOT "${installed}" MATCHES "${wanted}")
            message(FATAL_ERROR "not installed: ${wanted}")
        endif()
    endforeach()
endif()
set(cuda "")
if(NVCC)
    set(cuda -DCMAKE_CUDA_COMPILER=${NVCC} -DCMAKE_CUDA_HOST_COMPILER=${CXX})
endif()
step(${CMAKE_COMMAND} -S ${CONSUMER} -B ${BUILD}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_PREFIX_PATH=${prefix} -DTARN=${TARN} ${cuda})
step(${CMAKE_COMMAND} --build ${BUILD}/build --verbose)
step(${BUILD}/build/program)
