/* A program with a libnvToolsExt of its own, from before NVTX 3: it loads what
 * NVTX_INJECTION64_PATH names, looks for InitializeInjectionNvtx alone, and has no domains. What it
 * offers there, by its argument:
 *
 *   tables    tables of functions, the core's shorter than NVTX 3's
 *   calls     calls to subscribe, in a structure of 24 bytes, as libnvToolsExt of
 *             CUDA 11.8 does
 *
 * Status 1 when something was written where it must not be, or a call went wrong. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);

enum { kMarkA = 2, kPushA = 9, kPop = 11, kSize = 12, kRoom = 16 };

static void Untouched(void) {}
static Function functions[kRoom];
static Function* table[kRoom];
static int subscribed;

static int GetTable(int module, Function*** out_table, unsigned* out_size) {
  if (module != 1) return 0;
  *out_table = table;
  *out_size = kSize;
  return 1;
}
/* Would be taken for GetTable by who does not look at the size. */
static int Subscribe(void* callback, void* user) {
  (void)callback;
  (void)user;
  subscribed = 1;
  return 0;
}
static int Unsubscribe(void* handle) {
  (void)handle;
  subscribed = 1;
  return 0;
}

static const struct {
  size_t size;
  int (*get)(int, Function***, unsigned*);
} tables = {16, GetTable};
static const struct {
  size_t size;
  int (*subscribe)(void*, void*);
  int (*unsubscribe)(void*);
} calls = {24, Subscribe, Unsubscribe};

static int offers_tables;
static const void* GetExportTable(uint32_t id) {
  if (id != 1) return NULL;
  return offers_tables ? (const void*)&tables : (const void*)&calls;
}

static void LoadTool(void) {
  const char* path = getenv("NVTX_INJECTION64_PATH");
  int (*initialise)(const void* (*)(uint32_t)) = NULL;
  void* tool = path == NULL ? NULL : dlopen(path, RTLD_LAZY);
  if (tool == NULL) return;
  *(void**)&initialise = dlsym(tool, "InitializeInjectionNvtx");
  if (initialise == NULL || initialise(GetExportTable) == 0) dlclose(tool);
}

int main(int count, char** arguments) {
  offers_tables = count > 1 && strcmp(arguments[1], "tables") == 0;
  for (int i = 0; i < kRoom; ++i) {
    functions[i] = Untouched;
    table[i] = i == 0 ? NULL : &functions[i];
  }
  LoadTool();
  for (int i = kSize; i < kRoom; ++i) {
    if (functions[i] != Untouched) return 1;
  }
  if (subscribed) return 1;
  if (functions[kMarkA] != Untouched) ((void (*)(const char*))functions[kMarkA])("old mark");
  if (functions[kPushA] != Untouched) ((int (*)(const char*))functions[kPushA])("old region");
  if (functions[kPop] != Untouched) ((int (*)(void))functions[kPop])();
  puts("done");
  return 0;
}
