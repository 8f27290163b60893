// rafter/marker.h with both halves: which calls reach NVTX and LIKWID, in what
// order, and whatever way a block is left. LIKWID's functions are ours here, and
// NVTX has a tool that writes down what it is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rafter/marker.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

extern "C" {
void mark_in_c(void);
extern int g_names_asked_in_c;
}

namespace rafter {
namespace {

using testing::ElementsAre;

std::vector<std::string>& Calls() {
  static std::vector<std::string> calls;
  return calls;
}

int Push(const char* name) {
  Calls().push_back(std::string("push ") + name);
  return 0;
}

int Pop() {
  Calls().push_back("pop");
  return 0;
}

int RecordingTool(NvtxGetExportTableFunc_t get_export_table) {
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned int size = 0;
  if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size)) return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(&Push);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(&Pop);
  return 1;
}

class MarkerOrder : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // NVTX's way in for tools that are part of the program.
    InitializeInjectionNvtx2_fnptr = &RecordingTool;
    nvtxInitialize(nullptr);
  }
  void SetUp() override { Calls().clear(); }
};

void LeaveByThrowing() {
  RAFTER_REGION("outer");
  const ScopedRegion inner("inner");
  throw std::runtime_error("out of both");
}

std::string LeaveByReturning(bool early) {
  RAFTER_REGION("all");
  if (early) return "early";
  RAFTER_REGION("late");
  return "late";
}

TEST_F(MarkerOrder, AnNvMarkerRegionIsInsideTheNvtxRangeOfItsName) {
  { RAFTER_REGION("solve"); }
  EXPECT_THAT(Calls(), ElementsAre("push solve", "start solve", "stop solve", "pop"));
}

TEST_F(MarkerOrder, AnExceptionEndsEveryRegionItLeavesInnermostFirst) {
  EXPECT_THROW(LeaveByThrowing(), std::runtime_error);
  EXPECT_THAT(Calls(), ElementsAre("push outer", "start outer", "push inner", "start inner",
                                   "stop inner", "pop", "stop outer", "pop"));
}

TEST_F(MarkerOrder, AReturnEndsTheRegionsThatWereBegun) {
  EXPECT_EQ(LeaveByReturning(true), "early");
  EXPECT_THAT(Calls(), ElementsAre("push all", "start all", "stop all", "pop"));
}

TEST_F(MarkerOrder, AContinueEndsTheRegionOfItsTurn) {
  for (int turn = 0; turn < 2; ++turn) {
    RAFTER_REGION("turn");
    if (turn == 0) continue;
    Calls().push_back("work");
  }
  EXPECT_THAT(Calls(), ElementsAre("push turn", "start turn", "stop turn", "pop", "push turn",
                                   "start turn", "work", "stop turn", "pop"));
}

TEST_F(MarkerOrder, TwoRegionsFitOnOneLine) {
  // clang-format off
  { RAFTER_REGION("a"); RAFTER_REGION("b"); }
  // clang-format on
  EXPECT_THAT(Calls(), ElementsAre("push a", "start a", "push b", "start b", "stop b", "pop",
                                   "stop a", "pop"));
}

TEST_F(MarkerOrder, ANameMayBeGoneOrChangedBeforeTheRegionEnds) {
  std::string name = std::string(300, 'x') + " of 512";
  const std::string whole = name;
  {
    RAFTER_REGION(name);
    name.assign(name.size(), 'y');
  }
  { RAFTER_REGION("step " + std::to_string(512)); }
  EXPECT_THAT(Calls(), ElementsAre("push " + whole, "start " + whole, "stop " + whole, "pop",
                                   "push step 512", "start step 512", "stop step 512", "pop"));
}

TEST_F(MarkerOrder, NamesAreEvaluatedOnce) {
  int asked = 0;
  const auto name = [&asked] {
    ++asked;
    return "asked";
  };
  RAFTER_MARKER_REGISTER(name());
  RAFTER_MARKER_START(name());
  RAFTER_MARKER_STOP(name());
  { RAFTER_REGION(name()); }
  EXPECT_EQ(asked, 4);
}

TEST_F(MarkerOrder, MacrosInCDoAsInCpp) {
  g_names_asked_in_c = 0;
  mark_in_c();
  EXPECT_EQ(g_names_asked_in_c, 3);
  EXPECT_THAT(Calls(), ElementsAre("init", "register in c", "push in c", "start in c", "stop in c",
                                   "pop", "push ", "start ", "stop ", "pop", "close"));
}

TEST_F(MarkerOrder, ARegionCannotBeCopiedAndANullNameIsAnEmptyOne) {
  static_assert(!std::is_copy_constructible<ScopedRegion>::value, "it would end twice");
  static_assert(!std::is_copy_assignable<ScopedRegion>::value, "it would end twice");
  { RAFTER_REGION(nullptr); }
  EXPECT_THAT(Calls(), ElementsAre("push ", "start ", "stop ", "pop"));
}

}  // namespace

extern "C" {
void nvmon_markerInit(void) { Calls().push_back("init"); }
void nvmon_markerClose(void) { Calls().push_back("close"); }
int nvmon_markerRegisterRegion(const char* name) {
  Calls().push_back(std::string("register ") + name);
  return 0;
}
int nvmon_markerStartRegion(const char* name) {
  Calls().push_back(std::string("start ") + name);
  return 0;
}
int nvmon_markerStopRegion(const char* name) {
  Calls().push_back(std::string("stop ") + name);
  return 0;
}
}

}  // namespace rafter
