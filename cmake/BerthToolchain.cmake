# Compiler flags, ccache and mold. Flags live in one interface target that every module links.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(berth_flags INTERFACE)
target_compile_options(berth_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
  # Scores must have the same bits everywhere: no fused multiply-add.
  -ffp-contract=off
  -fno-omit-frame-pointer
  # Some libraries ask for it, and what is compiled without it does not fit precompiled headers with it.
  -pthread)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these falsely inside std::string and std::variant at -O2 and above.
  target_compile_options(berth_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
else()
  # libstdc++ 12 calls functions that it declares deprecated.
  target_compile_options(berth_flags INTERFACE -Wno-gnu-statement-expression -Wno-deprecated-declarations)
endif()
# Warnings are settled with GCC, which builds the releases; clang has others.
if(BERTH_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(berth_flags INTERFACE -Werror)
endif()
find_program(MOLD mold)
if(MOLD)
  target_link_options(berth_flags INTERFACE -fuse-ld=mold)
endif()
