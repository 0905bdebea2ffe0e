// SPDX-License-Identifier: MIT
// Which card there is: `card JSON DRIVER` writes its facts, and prints its architecture, its multiprocessors, and a
// line for the table. Exits 77 with a sentence where there is none. Run by run.sh before anything else is built. Knows
// the runtime.
#include "report.hpp"

namespace {

using namespace tarn_bench;

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int describe(const char* json, const char* driver) {
    int device = 0, most = 0, runtime = 0;
    must(cudaGetDevice(&device), "cudaGetDevice");
    cudaDeviceProp card{};
    must(cudaGetDeviceProperties(&card, device), "cudaGetDeviceProperties");
    must(cudaDriverGetVersion(&most), "cudaDriverGetVersion");
    must(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    Table table("card");
    table.add(plain(card.name), {Figure::said("architecture", "sm_" + std::to_string(card.major * 10 + card.minor)),
                                 {"multiprocessors", static_cast<double>(card.multiProcessorCount)},
                                 {"memory_bytes", static_cast<double>(card.totalGlobalMem)},
                                 Figure::said("driver", plain(driver)),
                                 Figure::said("driver_CUDA", version_text(most)),
                                 Figure::said("runtime_CUDA", version_text(runtime))});
    if (!Table::write({&table}, json)) return 1;
    std::printf("%d\n%d\n%s; driver %s for CUDA %s; CUDA runtime %s; %d multiprocessors, sm_%d%d\n",
                card.major * 10 + card.minor, card.name, driver, version_text(most).c_str(),
                version_text(runtime).c_str(), card.multiProcessorCount, card.major, card.minor);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) return std::fputs("usage: card JSON DRIVER\n", stderr), 2;
    int devices = 0;
    if (const cudaError_t found = cudaGetDeviceCount(&devices); found != cudaSuccess || devices == 0) {
        std::printf("there is no CUDA device: %s\n", cudaGetErrorString(found));
        return 77;
    }
    try {
        return describe(argv[1], argv[2]);
    } catch (const Fault& fault) {
        std::printf("%s\n", fault.text.c_str());
        return 1;
    }
}
