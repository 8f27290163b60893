/* Calls every function of NVTX, and prints what regions, marks and names it made: one
 * JSON line each, in the order in which a tool must see them. Built as a program and, with
 * EVERYTHING_IS_A_MODULE, as a module that the program loads: each has an NVTX of its own.
 *
 *   nvtx_everything [MODULE.so]
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#ifdef EVERYTHING_WITH_CUDA
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#endif

/* --- what happened, as JSON ------------------------------------------------ */

/* A name of more than 64 bytes is said by its first ones and its length. */
static void Said(const char* event, const char* domain, const char* name, unsigned category,
                 const char* kind, uint64_t bits) {
  const size_t size = strlen(name);
  printf(
      "{\"event\":\"%s\",\"domain\":\"%s\",\"name\":\"%.64s\",\"bytes\":%zu,\"category\":%u,"
      "\"payload\":\"%s\",\"bits\":%" PRIu64 "}\n",
      event, domain, name, size, category, kind, bits);
}
static void Simply(const char* event, const char* domain, const char* name) {
  Said(event, domain, name, 0, "none", 0);
}

/* --- attributes --------------------------------------------------------------- */

static nvtxEventAttributes_t Ascii(const char* message) {
  nvtxEventAttributes_t attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = 0xFF00FF00;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = message;
  return attributes;
}

static void PushPopEx(nvtxEventAttributes_t* attributes, const char* name, unsigned category,
                      const char* kind, uint64_t bits) {
  nvtxRangePushEx(attributes);
  Said("push", "", name, category, kind, bits);
  nvtxRangePop();
  Simply("pop", "", "");
}

static void Payloads(void) {
  nvtxEventAttributes_t attributes = Ascii("payload");
  float one_and_a_half = 1.5f;
  double minus_two = -2.0;
  uint32_t float_bits;
  uint64_t double_bits;
  memcpy(&float_bits, &one_and_a_half, sizeof float_bits);
  memcpy(&double_bits, &minus_two, sizeof double_bits);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = UINT64_MAX;
  PushPopEx(&attributes, "payload", 0, "unsigned", UINT64_MAX);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  attributes.payload.llValue = -5;
  PushPopEx(&attributes, "payload", 0, "signed", (uint64_t)-5);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  attributes.payload.dValue = minus_two;
  PushPopEx(&attributes, "payload", 0, "double", double_bits);
  attributes.payload.ullValue = UINT64_MAX; /* what is beside the 32 bits must not count */
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
  attributes.payload.uiValue = 7;
  PushPopEx(&attributes, "payload", 0, "unsigned", 7);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  attributes.payload.iValue = -7;
  PushPopEx(&attributes, "payload", 0, "signed", (uint64_t)-7);
  attributes.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
  attributes.payload.fValue = one_and_a_half;
  PushPopEx(&attributes, "payload", 0, "float", float_bits);
  attributes.payloadType = 4711;
  PushPopEx(&attributes, "payload", 0, "none", 0);
  attributes.version = 99;
  attributes.payloadType = 0;
  attributes.category = 3;
  PushPopEx(&attributes, "payload", 3, "none", 0);
}

/* --- the default domain -------------------------------------------------------- */

static void Core(void) {
  nvtxEventAttributes_t attributes = Ascii("push ex");
  nvtxRangeId_t a, w, ex;
  char* soon_gone = strdup("freed right after the call");
  char* fortran = malloc(81);
  char* long_name = malloc((1u << 20) + 1);
  const wchar_t invalid[] = {(wchar_t)0xD800, L'x', (wchar_t)0x110000, 0};

  nvtxInitialize(NULL);
  nvtxMarkA("mark a");
  Simply("mark", "", "mark a");
  nvtxMarkW(L"mark w \u00e9");
  Simply("mark", "", "mark w \xC3\xA9");
  attributes.message.ascii = "mark ex";
  attributes.category = 4;
  nvtxMarkEx(&attributes);
  Said("mark", "", "mark ex", 4, "none", 0);
  attributes.message.ascii = "push ex";
  attributes.category = 0;

  nvtxRangePushA("push a");
  Simply("push", "", "push a");
  nvtxRangePushW(L"push w \U0001F600");
  Simply("push", "", "push w \xF0\x9F\x98\x80");
  PushPopEx(&attributes, "push ex", 0, "none", 0);
  attributes.messageType = NVTX_MESSAGE_TYPE_UNICODE;
  attributes.message.unicode = invalid;
  PushPopEx(&attributes, "\xEF\xBF\xBDx\xEF\xBF\xBD", 0, "none", 0);
  attributes.messageType = NVTX_MESSAGE_UNKNOWN;
  PushPopEx(&attributes, "", 0, "none", 0);
  nvtxRangePop();
  Simply("pop", "", "");
  nvtxRangePop();
  Simply("pop", "", "");
  nvtxRangePop(); /* one too many */
  Simply("pop", "", "");

  nvtxRangePushA(NULL);
  Simply("push", "", "");
  nvtxRangePushW(NULL);
  Simply("push", "", "");
  nvtxRangePop();
  Simply("pop", "", "");
  nvtxRangePop();
  Simply("pop", "", "");
  nvtxRangePushA(soon_gone);
  free(soon_gone);
  Simply("push", "", "freed right after the call");
  memset(fortran, ' ', 80);
  fortran[80] = 0;
  memcpy(fortran, "fortran", 7);
  nvtxRangePushA(fortran);
  free(fortran);
  Simply("push", "", "fortran");
  memset(long_name, 'n', 1u << 20);
  long_name[1u << 20] = 0;
  nvtxRangePushA(long_name);
  Simply("push", "", long_name);
  free(long_name);
  for (int i = 0; i < 3; ++i) {
    nvtxRangePop();
    Simply("pop", "", "");
  }

  a = nvtxRangeStartA("start a");
  Simply("start", "", "start a");
  w = nvtxRangeStartW(L"start w");
  Simply("start", "", "start w");
  attributes = Ascii("start ex");
  ex = nvtxRangeStartEx(&attributes);
  Simply("start", "", "start ex");
  nvtxRangeEnd(w); /* not in the order of their starts */
  Simply("end", "", "start w");
  nvtxRangeEnd(ex);
  Simply("end", "", "start ex");
  nvtxRangeEnd(a);
  Simply("end", "", "start a");

  nvtxNameCategoryA(3, "category a");
  Said("category", "", "category a", 3, "none", 0);
  nvtxNameCategoryW(4, L"category w");
  Said("category", "", "category w", 4, "none", 0);
}

/* --- domains -------------------------------------------------------------------- */

/* `lent`: a domain that another module made, where `is_lent`. */
static void Domains(nvtxDomainHandle_t lent, int is_lent) {
  nvtxDomainHandle_t a = nvtxDomainCreateA("domain a");
  nvtxDomainHandle_t w = nvtxDomainCreateW(L"domain w");
  nvtxDomainHandle_t again = nvtxDomainCreateA("domain a");
  nvtxEventAttributes_t attributes = Ascii("in a domain");
  nvtxRangeId_t range;
  nvtxStringHandle_t string_a = nvtxDomainRegisterStringA(a, "registered a");
  nvtxStringHandle_t string_w = nvtxDomainRegisterStringW(w, L"registered w");

  nvtxDomainMarkEx(a, &attributes);
  Simply("mark", "domain a", "in a domain");
  nvtxDomainRangePushEx(a, &attributes);
  Simply("push", "domain a", "in a domain");
  nvtxDomainRangePushEx(w, &attributes);
  Simply("push", "domain w", "in a domain");
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = string_a;
  nvtxDomainRangePushEx(again, &attributes);
  Simply("push", "domain a", "registered a");
  nvtxDomainRangePop(a);
  Simply("pop", "domain a", "");
  nvtxDomainRangePop(w);
  Simply("pop", "domain w", "");
  nvtxDomainRangePop(again);
  Simply("pop", "domain a", "");
  attributes.message.registered = string_w;
  range = nvtxDomainRangeStartEx(w, &attributes);
  Simply("start", "domain w", "registered w");
  nvtxDomainRangeEnd(w, range);
  Simply("end", "", "registered w");
  attributes.message.registered = NULL;
  nvtxDomainRangePushEx(NULL, &attributes); /* the default domain */
  Simply("push", "", "");
  nvtxDomainRangePop(NULL);
  Simply("pop", "", "");
  nvtxDomainNameCategoryA(a, 3, "category of a");
  Said("category", "domain a", "category of a", 3, "none", 0);
  nvtxDomainNameCategoryW(w, 5, L"category of w");
  Said("category", "domain w", "category of w", 5, "none", 0);
  nvtxDomainNameCategoryA(a, 0, "no category");
  if (is_lent) {
    attributes = Ascii("in a lent domain");
    nvtxDomainMarkEx(lent, &attributes);
    Simply("mark", "lent", "in a lent domain");
  }
  nvtxDomainDestroy(again);
  nvtxDomainDestroy(w);
}

/* --- names of things, which are no regions ----------------------------------------- */

static void Names(nvtxDomainHandle_t domain) {
  nvtxResourceAttributes_t resource;
  nvtxResourceHandle_t handle;
  nvtxSyncUserAttributes_t sync;
  nvtxSyncUser_t lock;
  memset(&resource, 0, sizeof resource);
  resource.version = NVTX_VERSION;
  resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  resource.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
  resource.identifier.pValue = &resource;
  resource.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  resource.message.registered = nvtxDomainRegisterStringA(domain, "a resource");
  handle = nvtxDomainResourceCreate(domain, &resource);
  nvtxDomainResourceDestroy(handle);
  nvtxNameOsThreadA(1, "thread a");
  nvtxNameOsThreadW(1, L"thread w");
  memset(&sync, 0, sizeof sync);
  sync.version = NVTX_VERSION;
  sync.size = (uint16_t)sizeof sync;
  sync.messageType = NVTX_MESSAGE_TYPE_ASCII;
  sync.message.ascii = "a lock";
  lock = nvtxDomainSyncUserCreate(domain, &sync);
  nvtxDomainSyncUserAcquireStart(lock);
  nvtxDomainSyncUserAcquireFailed(lock);
  nvtxDomainSyncUserAcquireSuccess(lock);
  nvtxDomainSyncUserReleasing(lock);
  nvtxDomainSyncUserDestroy(lock);
#ifdef EVERYTHING_WITH_CUDA
  nvtxNameCuDeviceA(0, "device");
  nvtxNameCuDeviceW(0, L"device");
  nvtxNameCuContextA(NULL, "context");
  nvtxNameCuContextW(NULL, L"context");
  nvtxNameCuStreamA(NULL, "stream");
  nvtxNameCuStreamW(NULL, L"stream");
  nvtxNameCuEventA(NULL, "event");
  nvtxNameCuEventW(NULL, L"event");
  nvtxNameCudaDeviceA(0, "device");
  nvtxNameCudaDeviceW(0, L"device");
  nvtxNameCudaStreamA(NULL, "stream");
  nvtxNameCudaStreamW(NULL, L"stream");
  nvtxNameCudaEventA(NULL, "event");
  nvtxNameCudaEventW(NULL, L"event");
#endif
}

/* --- the payload extension ------------------------------------------------------------ */

typedef struct {
  int32_t rank;
  const char* message;
  nvtxStringHandle_t handle;
  char inside[16];
  uint64_t distance; /* from the beginning to `behind` */
  char behind[8];
} Data;

static uint64_t Schema(nvtxDomainHandle_t domain, const char* name, uint64_t flags, uint64_t type,
                       uint64_t detail, uint64_t offset, uint64_t id) {
  nvtxPayloadSchemaEntry_t entries[2];
  nvtxPayloadSchemaAttr_t schema;
  memset(entries, 0, sizeof entries);
  memset(&schema, 0, sizeof schema);
  entries[0].type = NVTX_PAYLOAD_ENTRY_TYPE_INT32;
  entries[0].name = "rank";
  entries[1].flags = flags;
  entries[1].type = type;
  entries[1].arrayOrUnionDetail = detail;
  entries[1].offset = offset;
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  if (id != 0) schema.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.name = name;
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries;
  schema.numEntries = 2;
  schema.payloadStaticSize = sizeof(Data);
  schema.schemaId = id;
  return nvtxPayloadSchemaRegister(domain, &schema);
}

static void PushPopPayload(nvtxDomainHandle_t domain, uint64_t schema, size_t size,
                           const void* data, const char* name) {
  nvtxPayloadData_t payload;
  payload.schemaId = schema;
  payload.size = size;
  payload.payload = data;
  nvtxRangePushPayload(domain, &payload, 1);
  Simply("push", "payloads", name);
  nvtxRangePopPayload(domain, &payload, 1);
  Simply("pop", "payloads", "");
}

static void Extension(void) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("payloads");
  const uint64_t message = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE;
  const uint64_t text = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
  Data data = {1, "by address", NULL, "inside", offsetof(Data, behind), "behind"};
  nvtxPayloadEnumAttr_t enumeration;
  nvtxScopeAttr_t scope;
  nvtxTimeDomainAttr_t time;
  nvtxEventBatch_t batch;
  nvtxPayloadData_t payload;
  nvtxEventAttributes_t attributes = Ascii("with an extended payload");
  nvtxRangeId_t range;
  data.handle = nvtxDomainRegisterStringA(domain, "by handle");
  const uint64_t nothing = Schema(domain, "schema", 0, text, 0, 0, 0);
  const uint64_t address = Schema(domain, "address", message, text, 0, offsetof(Data, message), 0);
  const uint64_t handle =
      Schema(domain, "handle", message, NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, 0,
             offsetof(Data, handle), (1 << 24) + 5);
  const uint64_t inside =
      Schema(domain, "inside", message, text, sizeof data.inside, offsetof(Data, inside), 0);
  const uint64_t behind =
      Schema(domain, "behind", message | NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE, text, 0,
             offsetof(Data, distance), 0);
  /* without an offset: where the alignment puts it */
  const uint64_t aligned = Schema(domain, "aligned", message, text, 0, 0, 0);
  PushPopPayload(domain, nothing, sizeof data, &data, "schema");
  PushPopPayload(domain, address, sizeof data, &data, "by address");
  PushPopPayload(domain, address, SIZE_MAX, &data, "by address");
  PushPopPayload(domain, handle, sizeof data, &data, "by handle");
  PushPopPayload(domain, (1 << 24) + 5, sizeof data, &data, "by handle");
  PushPopPayload(domain, inside, sizeof data, &data, "inside");
  PushPopPayload(domain, behind, sizeof data, &data, "behind");
  PushPopPayload(domain, aligned, sizeof data, &data, "by address");
  PushPopPayload(domain, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, SIZE_MAX, "a text", "a text");
  PushPopPayload(domain, address, 12, &data, "address"); /* too short for its message */
  PushPopPayload(domain, 12345, sizeof data, &data, "");
  PushPopPayload(domain, address, sizeof data, NULL, "address");

  payload.schemaId = address;
  payload.size = sizeof data;
  payload.payload = &data;
  range = nvtxRangeStartPayload(domain, &payload, 1);
  Simply("start", "payloads", "by address");
  nvtxRangeEndPayload(domain, range, &payload, 1);
  Simply("end", "", "by address");
  range = nvtxRangeStartPayload(domain, &payload, 1);
  Simply("start", "payloads", "by address");
  nvtxDomainRangeEnd(domain, range); /* ended by the core */
  Simply("end", "", "by address");
  nvtxMarkPayload(domain, &payload, 1);
  Simply("mark", "payloads", "by address");
  nvtxRangePushPayload(domain, NULL, 0);
  Simply("push", "payloads", "");
  nvtxRangePopPayload(domain, NULL, 0);
  Simply("pop", "payloads", "");
  attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT; /* NVTX's macro for it is no C */
  attributes.payload.ullValue = (uint64_t)(uintptr_t)&payload;
  attributes.reserved0 = 1;
  nvtxDomainMarkEx(domain, &attributes);
  Simply("mark", "payloads", "with an extended payload");

  memset(&enumeration, 0, sizeof enumeration);
  nvtxPayloadEnumRegister(domain, &enumeration);
  memset(&scope, 0, sizeof scope);
  nvtxScopeRegister(domain, &scope);
  memset(&time, 0, sizeof time);
  nvtxTimeDomainRegister(domain, &time);
  nvtxTimestampGet();
  nvtxTimerSource(domain, 1, 0, NULL);
  nvtxTimerSourceWithData(domain, 1, 0, NULL, NULL);
  nvtxTimeSyncPoint(domain, 1, 2, 3, 4);
  nvtxTimeSyncPointTable(domain, 1, 2, NULL, 0);
  nvtxTimestampConversionFactor(domain, 1, 2, 1.0, 3, 4);
  nvtxEventSubmit(domain, &payload, 1);
  memset(&batch, 0, sizeof batch);
  nvtxEventBatchSubmit(domain, &batch);
  (void)nvtxDomainIsEnabled(domain);
}

/* --- as a module, and as a program ----------------------------------------------------- */

__attribute__((visibility("default"))) int CallEverything(nvtxDomainHandle_t lent, int is_lent);
int CallEverything(nvtxDomainHandle_t lent, int is_lent) {
  Core();
  Payloads();
  Domains(lent, is_lent);
  Names(nvtxDomainCreateA("domain a"));
  Extension();
  return 0;
}

#ifndef EVERYTHING_IS_A_MODULE
int main(int count, char** arguments) {
  int (*in_module)(nvtxDomainHandle_t, int) = NULL;
  void* module;
  const int failed = CallEverything(NULL, 0);
  if (failed != 0 || count < 2) return failed;
  module = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
  *(void**)&in_module = dlsym(module, "CallEverything");
  if (in_module == NULL) return 3;
  return in_module(nvtxDomainCreateA("lent"), 1);
}
#endif
