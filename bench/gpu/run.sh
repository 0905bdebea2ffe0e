#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything that is measured on a card, in one go: builds with nvcc, runs part after part, prints one table and writes
# build/bench/gpu.json. Usage: bench/gpu/run.sh [--compile-only] [PART ...], without parts all of them.
# Exits 77 without a card or without nvcc, 1 where a part failed. Called by tools/bench gpu. Knows files by name.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# In order: what takes longest to measure comes last.
PARTS="bodies networks memory nanoseconds latency in_place_blas in_place_dnn gemm conv"
PART_SECONDS=100  # a part is stopped after so long, and keeps its rows until then
TOTAL_SECONDS=330 # and none goes on when so long has passed since the start

say() { echo "bench/gpu: $*"; }
skip() {
    say "skipped: $*"
    exit 77
}

compile_only=no
wanted=""
for argument in "$@"; do
    case " $PARTS " in
        *" $argument "*) wanted="$wanted $argument" ;;
        *)
            if [ "$argument" = --compile-only ]; then
                compile_only=yes
            else
                say "usage: run.sh [--compile-only] [PART ...], parts being $PARTS" >&2
                exit 2
            fi
            ;;
    esac
done
wanted=${wanted:-$PARTS}

NVCC=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || skip "nvcc was not found on PATH or in /usr/local/cuda/bin"
CXX=$(command -v "${CXX:-g++}") || skip "no C++ compiler was found"
toolkit=$(dirname "$(dirname "$(readlink -f "$NVCC")")")
out=build/gpu
mkdir -p $out/objects $out/generated $out/rows build/bench

includes="-Iinclude -Ikernels -Itests -Ibench -I$out/generated"
link_flags=""
for folder in "$toolkit/include" "$toolkit"/targets/*/include; do
    [ -d "$folder" ] && includes="$includes -isystem $folder"
done
for folder in "$toolkit/lib64" "$toolkit/lib" "$toolkit"/targets/*/lib; do
    [ -d "$folder" ] && link_flags="$link_flags -L$folder -Xlinker -rpath -Xlinker $folder"
done

warnings_cpp="" warnings_cu=""
if [ $compile_only = yes ]; then # on a card, a compiler's new warning should not cost the figures
    warnings_cpp="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
    warnings_cu="-Werror all-warnings -Xcompiler -Wall,-Wextra,-Wshadow,-Wconversion,-Werror"
fi
flags_cpp="-std=c++20 -O2 $warnings_cpp"
flags_cu="-std=c++20 -O3 -ccbin $CXX $warnings_cu"

# The card: its architecture and its number of multiprocessors, for which the grids are compiled.
if [ $compile_only = yes ]; then
    architectures="75 90"
    multiprocessors=132
else
    # shellcheck disable=SC2086
    if ! "$NVCC" $flags_cu $includes -o $out/card bench/gpu/card.cpp $link_flags >$out/card.log 2>&1; then
        cat $out/card.log
        say "the program that looks for a card could not be built" >&2
        exit 1
    fi
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1)
    $out/card $out/rows/card.json "${driver:-unknown}" >$out/card.txt
    case $? in
        0) ;;
        77) skip "$(cat $out/card.txt)" ;;
        *)
            cat $out/card.txt
            exit 1
            ;;
    esac
    { read -r architectures && read -r multiprocessors && read -r heading; } <$out/card.txt
fi
for architecture in $architectures; do
    flags_cu="$flags_cu -gencode arch=compute_$architecture,code=sm_$architecture"
done

have_dnn=no
printf '#include <cudnn.h>\nint main() { return cudnnGetVersion() == 0; }\n' >$out/generated/cudnn_found.cpp
# shellcheck disable=SC2086
if "$NVCC" -ccbin "$CXX" -o $out/cudnn_found $out/generated/cudnn_found.cpp $link_flags -lcudnn >/dev/null 2>&1; then
    have_dnn=yes
fi
{
    printf '// SPDX-License-Identifier: MIT\n// What bench/gpu/run.sh found out.\n#pragma once\n\n'
    echo "inline constexpr int card_multiprocessors = $multiprocessors;"
    echo "inline constexpr bool have_cudnn = $([ $have_dnn = yes ] && echo true || echo false);"
} >$out/generated/card_facts.hpp

# Kernels of networks: a file for each network and policy, or each of its modes too where it is large.
modes="InPlace OneLaunch Library<> Best"
[ $have_dnn = yes ] && modes="$modes LibraryWithDnn<>"
generate() { # NAME HEADER LINE ...
    local file=$out/generated/$1.cu header=$2
    shift 2
    {
        printf '// SPDX-License-Identifier: MIT\n// Written by bench/gpu/run.sh.\n#include "gpu/%s"\n\n' "$header"
        [ $have_dnn = yes ] && printf '#include <tarn/device/dnn.hpp>\n'
        printf '#include <tarn/device/launches.cuh>\n\nusing namespace tarn_bench;\nusing namespace tarn::cuda;\n'
        printf 'using tarn::Fastest, tarn::Smallest;\n\n'
        printf '%s\n' "$@"
    } >"$file"
}
launches() { echo "template struct tarn::cuda::Launches<$1On<$2, $3>>;"; }
network_units="" latency_units=""
for policy in Smallest Fastest; do
    for network in Mlp Residual Mobile UNet Gru; do
        generate "$network$policy" card_networks.hpp \
            "$(for mode in $modes; do launches $network "$mode" $policy; done)"
        network_units="$network_units $network$policy.cu"
    done
    for mode in $modes; do
        generate "ResNet18${mode%<>}$policy" card_networks.hpp "$(launches ResNet18 "$mode" $policy)"
        network_units="$network_units ResNet18${mode%<>}$policy.cu"
    done
done
for network in FastMlp FastCnn FastGru; do
    generate $network latency_kernels.cuh "$(launches $network InPlace Smallest)" \
        "$(launches $network OneLaunch Smallest)" "$(for mode in $modes; do launches $network "$mode" Fastest; done)" \
        "template struct tarn_bench::AllocatingLaunches<${network}On<InPlace, Fastest>>;"
    latency_units="$latency_units $network.cu"
done

sources() { # of a program, the slowest to compile first
    case $1 in
        networks) echo networks_small.cpp networks_resnet.cpp $network_units networks.cpp memory_count.cpp ;;
        bodies) echo bodies_held.cu bodies_dense.cu bodies_other.cu bodies_factors.cu bodies_recurrent.cu \
            bodies_beside.cu bodies.cpp body_check.cpp ;;
        latency) echo $latency_units latency.cpp ;;
        gemm) echo gemm_f32.cu gemm_tf32.cu gemm_bf16.cu gemm_f16.cu gemm.cpp ;;
        conv) echo conv_f32.cu conv_tf32.cu conv.cpp "$([ $have_dnn = yes ] && echo conv_cudnn.cpp || echo conv_no_cudnn.cpp)" ;;
        nanoseconds) echo nanoseconds.cu ;;
        *) echo "$1.cpp" ;;
    esac
}
program_of() { [ "$1" = memory ] && echo networks || echo "$1"; }

# Objects of an earlier run are good as long as nothing that they could be made of has changed.
stamp=$({
    echo "$NVCC $CXX $flags_cu $flags_cpp $includes"
    cat $out/generated/card_facts.hpp
    find include kernels tests bench -type f \( -name '*.hpp' -o -name '*.cuh' -o -name '*.cu' -o -name '*.cpp' \) |
        LC_ALL=C sort | xargs cat
    cat bench/gpu/run.sh
} | cksum)
if [ "$stamp" != "$(cat $out/stamp 2>/dev/null)" ]; then
    rm -f $out/objects/*
    echo "$stamp" >$out/stamp
fi

compile() { # SOURCE, by its name
    local source=bench/gpu/$1 object=$out/objects/$1.o
    [ -e "$source" ] || source=$out/generated/$1
    [ -e "$object" ] && return
    case $1 in
        # shellcheck disable=SC2086
        *.cu) "$NVCC" $flags_cu $includes -c "$source" -o "$object.new" ;;
        # shellcheck disable=SC2086
        *) "$CXX" $flags_cpp $includes -c "$source" -o "$object.new" ;;
    esac >"$object.log" 2>&1 && mv "$object.new" "$object"
}
export -f compile
export NVCC CXX flags_cu flags_cpp includes out

programs=$(for part in $wanted; do
    [ "$part" = in_place_dnn ] && [ $have_dnn = no ] && continue
    program_of "$part"
done | awk '!seen[$0]++')
say "compiling for sm_${architectures// / and sm_} on $(nproc) processors ..."
# Those of networks first, which take longest.
for program in networks latency bodies gemm conv nanoseconds in_place_blas in_place_dnn; do
    [[ " ${programs//$'\n'/ } " == *" $program "* ]] && sources $program
done | tr ' ' '\n' | xargs -P "$(nproc)" -I{} bash -c 'compile {} || true'

link() { # PROGRAM
    local objects="" source libraries="-lcublasLt"
    for source in $(sources "$1"); do
        if [ ! -e "$out/objects/$source.o" ]; then
            say "$source does not compile:"
            cat "$out/objects/$source.o.log"
            return 1
        fi
        objects="$objects $out/objects/$source.o"
    done
    [ "$1" = in_place_blas ] && libraries="$libraries -lcublas"
    case $1 in in_place_dnn | conv | networks | latency) [ $have_dnn = yes ] && libraries="$libraries -lcudnn" ;; esac
    # shellcheck disable=SC2086
    "$NVCC" -ccbin "$CXX" -o "$out/$1" $objects $link_flags $libraries
}
broken=""
for program in $programs; do
    link "$program" || broken="$broken $program"
done
say "built after $SECONDS s"
if [ $compile_only = yes ]; then
    [ $have_dnn = no ] && say "cuDNN was not found: what needs it was left out"
    [ -z "$broken" ] && exit 0
    say "not built:$broken" >&2
    exit 1
fi

failed=""
run_part() { # PART: its rows in build/gpu/rows/PART.json
    local part=$1 program left
    program=$(program_of "$part")
    rm -f "$out/rows/$part.json"
    if [[ " $broken " == *" $program "* ]]; then
        failed="$failed $part(not built)"
        return
    fi
    left=$((TOTAL_SECONDS - SECONDS))
    [ $left -gt $PART_SECONDS ] && left=$PART_SECONDS
    if [ $left -lt 5 ]; then
        failed="$failed $part(no time was left)"
        return
    fi
    timeout -k 5 $left "$out/$program" "$out/rows/$part.json" "$([ "$part" = memory ] && echo memory)"
    local code=$?
    [ $code = 0 ] && return
    if [ $code = 124 ] || [ $code -ge 128 ]; then # no table was printed
        say "$part ended with $code; its rows so far:"
        [ -e "$out/rows/$part.json" ] && cat "$out/rows/$part.json"
    fi
    failed="$failed $part($code)"
}

echo
echo "$heading"
for part in $wanted; do
    echo
    if [ "$part" = in_place_dnn ] && [ $have_dnn = no ]; then
        echo "cuDNN: not present"
        continue
    fi
    run_part "$part"
    if [ "$part" = latency ]; then
        rm -f $out/rows/torch.json
        timeout 60 python3 bench/gpu/latency_torch.py $out/rows/torch.json || echo "PyTorch: stopped"
    fi
done

# One list of all rows, each with its part's name.
{
    echo "["
    for part in card $wanted torch; do
        [ -e "$out/rows/$part.json" ] || continue
        [ "$part" = torch ] && [[ " $wanted " != *" latency "* ]] && continue
        sed -n "s/^  {\(.*\)},\{0,1\}\$/  {\"part\": \"$part\", \1}/p" "$out/rows/$part.json"
    done | sed '$!s/$/,/'
    echo "]"
} >build/bench/gpu.json
echo
say "$SECONDS s in all; figures are in build/bench/gpu.json"
if [ -n "$failed" ]; then
    say "failed:$failed" >&2
    exit 1
fi
