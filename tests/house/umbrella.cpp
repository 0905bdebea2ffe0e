// SPDX-License-Identifier: MIT
// The least a user writes: the umbrella alone, and twice.
// Compiled by every compiler found, and measured by include_cost.py.
// Knows nothing else.
#include <tarn/tarn.hpp>
#include <tarn/tarn.hpp>
