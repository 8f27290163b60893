// Preloaded: memory runs out for libinject.so, and for nobody else, from its
// n-th allocation on (FAIL_MALLOC_FROM).
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
}

namespace {

std::atomic<uintptr_t> g_begin = 0, g_end = 0;
std::atomic<long> g_calls = 0;

int Look(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name == nullptr || std::strstr(info->dlpi_name, "/libinject.so") == nullptr) {
    return 0;
  }
  uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type == PT_LOAD && part.p_vaddr + part.p_memsz > end) {
      end = part.p_vaddr + part.p_memsz;
    }
  }
  g_begin = info->dlpi_addr;
  g_end = info->dlpi_addr + end;
  return 1;
}

bool Refuse(const void* caller) {
  static const char* const from = std::getenv("FAIL_MALLOC_FROM");
  if (from == nullptr) return false;
  static thread_local bool looking = false;
  if (g_end == 0) {
    // Our own library is looked for rarely: the loader may hold its lock.
    static std::atomic<int> tries = 0;
    if (looking || ++tries % 64 != 0) return false;
    looking = true;
    dl_iterate_phdr(Look, nullptr);
    looking = false;
    if (g_end == 0) return false;
  }
  const auto address = reinterpret_cast<uintptr_t>(caller);
  if (address < g_begin || address >= g_end) return false;
  static const long first = std::atol(from);
  if (++g_calls < first) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void* malloc(size_t size) {
  return Refuse(__builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}
EXPORTED void* calloc(size_t count, size_t size) {
  return Refuse(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}
EXPORTED void* realloc(void* memory, size_t size) {
  return Refuse(__builtin_return_address(0)) ? nullptr : __libc_realloc(memory, size);
}
