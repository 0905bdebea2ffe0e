# SPDX-License-Identifier: MIT
# Found by find_package(tarn): defines tarn::tarn.
# Installed beside the exported targets.
# Knows nothing of the source tree.
include(${CMAKE_CURRENT_LIST_DIR}/tarnTargets.cmake)
