#include "tools/known_kernel.h"

namespace rafter {
namespace {

struct Arithmetic {
  const char* name;
  const char* instruction;  // %x changes, %y and %z are operands
  const char* type;         // of a register
  const char* memory;       // of loads, stores and parameters
  int bytes;
};

// ptxas may not turn one kind into another: the operands are not known to it, and
// .rn forbids to put a product and a sum together.
constexpr Arithmetic kArithmetic[] = {
    {"fadd", "add.rn.f32 %x, %x, %y;", "f32", "f32", 4},
    {"fmul", "mul.rn.f32 %x, %x, %y;", "f32", "f32", 4},
    {"ffma", "fma.rn.f32 %x, %x, %y, %z;", "f32", "f32", 4},
    {"dadd", "add.rn.f64 %x, %x, %y;", "f64", "f64", 8},
    {"dmul", "mul.rn.f64 %x, %x, %y;", "f64", "f64", 8},
    {"dfma", "fma.rn.f64 %x, %x, %y, %z;", "f64", "f64", 8},
    {"hadd", "add.rn.f16x2 %x, %x, %y;", "b32", "b32", 4},
    {"hmul", "mul.rn.f16x2 %x, %x, %y;", "b32", "b32", 4},
};

// Address of this thread's element in %element, from the array in parameter %s.
std::string ThreadsElement(const std::string& parameter, int bytes) {
  return "  mov.u32 %block, %ctaid.x;\n  mov.u32 %width, %ntid.x;\n  mov.u32 %lane, %tid.x;\n"
         "  mad.lo.u32 %thread, %block, %width, %lane;\n"
         "  ld.param.u64 %array, [" +
         parameter +
         "];\n  cvta.to.global.u64 %array, %array;\n"
         "  mul.wide.u32 %offset, %thread, " +
         std::to_string(bytes) + ";\n  add.u64 %element, %array, %offset;\n";
}

constexpr const char* kRegisters =
    "  .reg .pred %more;\n  .reg .b32 %block, %width, %lane, %thread, %left;\n"
    "  .reg .b64 %array, %offset, %element;\n";

std::string ArithmeticPtx(const Arithmetic& kernel) {
  const std::string memory = kernel.memory;
  std::string text = "\n.visible .entry " + std::string(kernel.name) +
                     "_kernel(.param .u64 array, .param .u32 rounds, .param ." + memory +
                     " y, .param ." + memory + " z)\n{\n" + kRegisters + "  .reg ." + kernel.type +
                     " %x, %y, %z;\n" + ThreadsElement("array", kernel.bytes) +
                     "  ld.param.u32 %left, [rounds];\n  ld.param." + memory +
                     " %y, [y];\n  ld.param." + memory + " %z, [z];\n  ld.global." + memory +
                     " %x, [%element];\n  .pragma \"nounroll\";\nround:\n";
  for (uint32_t i = 0; i < kOperationsPerRound; ++i) {
    text += "  " + std::string(kernel.instruction) + "\n";
  }
  return text +
         "  sub.u32 %left, %left, 1;\n  setp.ne.u32 %more, %left, 0;\n  @%more bra round;\n" +
         "  st.global." + memory + " [%element], %x;\n  ret;\n}\n";
}

// Each thread reads every word whose place is its number plus a multiple of the
// number of threads; the last words' bits are stored, so that none goes unread.
std::string ReadPtx() {
  return "\n.visible .entry read_kernel(.param .u64 part, .param .u64 words, .param .u64 array)\n"
         "{\n" +
         std::string(kRegisters) +
         "  .reg .b32 %blocks, %bits, %a, %b, %c, %d;\n"
         "  .reg .b64 %part, %place, %words, %step, %word;\n" +
         ThreadsElement("array", 4) +
         "  ld.param.u64 %part, [part];\n  cvta.to.global.u64 %part, %part;\n"
         "  ld.param.u64 %words, [words];\n"
         "  mov.u32 %blocks, %nctaid.x;\n  mul.wide.u32 %step, %blocks, %width;\n"
         "  cvt.u64.u32 %place, %thread;\n  mov.u32 %bits, 0;\n"
         "  setp.ge.u64 %more, %place, %words;\n  @%more bra done;\n"
         "  .pragma \"nounroll\";\nnext:\n"
         "  shl.b64 %word, %place, 4;\n  add.u64 %word, %part, %word;\n"
         "  ld.global.v4.u32 {%a, %b, %c, %d}, [%word];\n"
         "  xor.b32 %a, %a, %b;\n  xor.b32 %c, %c, %d;\n  xor.b32 %a, %a, %c;\n"
         "  xor.b32 %bits, %bits, %a;\n"
         "  add.u64 %place, %place, %step;\n"
         "  setp.lt.u64 %more, %place, %words;\n  @%more bra next;\ndone:\n"
         "  st.global.u32 [%element], %bits;\n  ret;\n}\n";
}

}  // namespace

const std::vector<ArithmeticKernel>& ArithmeticKernels() {
  static const auto* const kernels = new std::vector<ArithmeticKernel>{
      {"fadd_kernel", "SMSP_SASS_THREAD_INST_EXECUTED_OP_FADD_PRED_ON_SUM"},
      {"fmul_kernel", "SMSP_SASS_THREAD_INST_EXECUTED_OP_FMUL_PRED_ON_SUM"},
      {"ffma_kernel", "SMSP_SASS_THREAD_INST_EXECUTED_OP_FFMA_PRED_ON_SUM"},
      {"dadd_kernel", "SMSP_SASS_THREAD_INST_EXECUTED_OP_DADD_PRED_ON_SUM"},
      {"dmul_kernel", "SMSP_SASS_THREAD_INST_EXECUTED_OP_DMUL_PRED_ON_SUM"},
      {"dfma_kernel", "SMSP_SASS_THREAD_INST_EXECUTED_OP_DFMA_PRED_ON_SUM"},
      {"hadd_kernel", "SMSP_SASS_THREAD_INST_EXECUTED_OP_HADD_PRED_ON_SUM"},
      {"hmul_kernel", "SMSP_SASS_THREAD_INST_EXECUTED_OP_HMUL_PRED_ON_SUM"}};
  return *kernels;
}

std::string KnownKernelPtx() {
  std::string text = ".version 6.4\n.target sm_70\n.address_size 64\n";
  for (const Arithmetic& kernel : kArithmetic) text += ArithmeticPtx(kernel);
  return text + ReadPtx();
}

const std::vector<KnownRegion>& KnownRegions() {
  // first, triple and first again, a unit outside of any region, outer around
  // inner, and one in which nothing is done.
  static const auto* const regions = new std::vector<KnownRegion>{
      {"first", 2}, {"triple", 3}, {"outer", 4}, {"inner", 2}, {"empty", 0}};
  return *regions;
}

std::string KnownAccount() {
  const uint64_t operations =
      uint64_t{kArithmeticBlocks} * kThreadsPerBlock * kArithmeticRounds * kOperationsPerRound;
  std::string text;
  for (const KnownRegion& region : KnownRegions()) {
    const auto add = [&](const char* event, uint64_t of_a_unit) {
      text += "work " + std::string(region.name) + " " + event + " " +
              std::to_string(region.units * of_a_unit) + "\n";
    };
    for (const ArithmeticKernel& kernel : ArithmeticKernels()) add(kernel.event, operations);
    add(kReadEvent, kPartBytes);
  }
  return text;
}

}  // namespace rafter
