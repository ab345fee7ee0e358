// SPDX-License-Identifier: Apache-2.0
// Headers that most tests include; see berth_precompiled in BerthModule.cmake.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "precompiled.h"
