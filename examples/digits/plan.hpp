// SPDX-License-Identifier: MIT
// The digits network's plan in words and as a picture, in a translation unit of their own: neither runs the network.
// Used by main.cpp. Knows nothing of weights.
#pragma once

#include <string>

/// The steps, the arena's map and the bounds, as a text.
std::string plan_text();
/// Writes the arena over time as SVG; returns what went wrong, or nothing.
std::string draw_plan(const char* path);
