// SPDX-License-Identifier: MIT
// Asks tarn for the plan of the digits network.
// See plan.hpp. Knows the public face only.
#include "plan.hpp"

#include "digits.hpp"

#include <tarn/io/report.hpp>
#include <tarn/io/report_svg.hpp>
#include <tarn/io/safetensors_write.hpp>

std::string plan_text() { return tarn::report_text<Digits>(); }

std::string draw_plan(const char* path) {
    const std::string svg = tarn::report_svg<Digits>("Digits");
    const auto written = tarn::write_file(path, std::as_bytes(std::span(svg)));
    return written ? std::string() : written.error().text;
}
