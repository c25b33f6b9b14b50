# berth_module(NAME name [DEPENDS module...] [HEADERS file...] [SOURCES file...] [PRIVATE_LIBS target...])
#
# Declares one module: headers are relative to include/berth/<name>, sources to the calling folder.
# A module without sources is an interface library. Third-party libraries stay private: no public
# header of ours names them.
function(berth_module)
  cmake_parse_arguments(ARG "" "NAME" "DEPENDS;HEADERS;SOURCES;PRIVATE_LIBS" ${ARGN})
  set(target berth_${ARG_NAME})
  list(TRANSFORM ARG_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/include/berth/${ARG_NAME}/")
  list(TRANSFORM ARG_DEPENDS PREPEND "berth::")
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE berth::flags ${ARG_PRIVATE_LIBS})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
    target_compile_features(${target} INTERFACE cxx_std_20)
  endif()
  add_library(berth::${ARG_NAME} ALIAS ${target})
  target_sources(${target} ${scope} FILE_SET HEADERS
    BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${ARG_HEADERS})
  target_link_libraries(${target} ${scope} ${ARG_DEPENDS})
endfunction()

# berth_test(NAME name SOURCES file... [LIBS target...])
#
# One GoogleTest program; each of its tests becomes a ctest of its own. BERTH_TEST_DATA is the path
# of test/data, BERTH_PROGRAM that of the berth program.
function(berth_test)
  cmake_parse_arguments(ARG "" "NAME;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE berth::flags ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  target_include_directories(${ARG_NAME} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${ARG_NAME} PRIVATE
    BERTH_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    BERTH_TEST_DATA="${PROJECT_SOURCE_DIR}/test/data"
    BERTH_PROGRAM="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/berth")
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  gtest_discover_tests(${ARG_NAME} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
