# Every flag lives in one interface target that modules, tests and benchmarks link privately.
add_library(berth_flags INTERFACE)
add_library(berth::flags ALIAS berth_flags)
target_compile_features(berth_flags INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)

target_compile_options(berth_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual
  # A score must be the same number in every clone of the kernel and in its twin: no fused multiply-add.
  -ffp-contract=off
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # g++ 12 sees overlapping copies in every std::string concatenation it inlines (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${BERTH_WERROR}>:-Werror>)

if(BERTH_SANITIZE)
  target_compile_options(berth_flags INTERFACE
    -fsanitize=${BERTH_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(berth_flags INTERFACE -fsanitize=${BERTH_SANITIZE})
endif()

if(BERTH_COVERAGE)
  target_compile_options(berth_flags INTERFACE --coverage)
  target_link_options(berth_flags INTERFACE --coverage)
endif()
