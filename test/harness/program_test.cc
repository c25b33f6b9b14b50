#include "test/harness/program.h"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>

namespace berth::harness {
namespace {

TEST(Program, HearsLinesAndTheExitCode) {
  const Program program({"/bin/sh", "-c", "echo ready 12; echo trouble >&2; exit 3"});
  EXPECT_EQ(program.wait_for_line("ready "), "12");
  EXPECT_EQ(program.wait_for_exit(), 3);
  EXPECT_EQ(program.standard_error(), "trouble\n");
  EXPECT_FALSE(program.running());
}

TEST(Program, StopsWaitingForALineWhenTheProgramEnds) {
  const Program program({"/bin/sh", "-c", "echo something else"});
  EXPECT_FALSE(program.wait_for_line("ready"));
}

TEST(Program, PassesSignalsOn) {
  const Program program({"/bin/sh", "-c", "echo up; while :; do read x; done"});
  ASSERT_TRUE(program.wait_for_line("up"));
  EXPECT_TRUE(program.running());
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait_for_exit(), 128 + SIGKILL);
}

TEST(Program, SaysWhenThereIsNoSuchProgram) {
  EXPECT_THROW(Program({"/no/such/program"}), std::runtime_error);
}

}  // namespace
}  // namespace berth::harness
