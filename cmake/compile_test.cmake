# SPDX-License-Identifier: MIT
# tarn_add_compile_test: a CTest test that compiles one file with one compiler (tests/support/compile.py).
# Included by the folders of tests that check what compilers say.
# Knows nothing of what the files hold.
include_guard()

# tarn_add_compile_test(NAME name COMPILER path SOURCE file [FAILS] [LABELS ...] [FLAGS ...])
# Passes when the file compiles without a warning; with FAILS, when it does not and every `// expect: text` line of the
# file is found in the one error. A compiler that was not found makes the test report itself skipped.
function(tarn_add_compile_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "FAILS" "NAME;COMPILER;SOURCE" "LABELS;FLAGS")
    cmake_path(ABSOLUTE_PATH arg_SOURCE)
    set(fails "")
    if(arg_FAILS)
        set(fails --fails)
    endif()
    add_test(NAME ${arg_NAME}
        COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tests/support/compile.py --compiler "${arg_COMPILER}"
            --source ${arg_SOURCE} ${fails} --
            -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/kernels -I${PROJECT_SOURCE_DIR}/tests ${arg_FLAGS})
    set_tests_properties(${arg_NAME} PROPERTIES LABELS "compile;${arg_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT 300)
endfunction()
