/* A driver without a GPU: memory is the host's, and a launch is only written down. What is not listed succeeds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
typedef struct { unsigned grid[3], block[3], shared; void *stream; } Config;

static unsigned long launches;
static unsigned long copies;
static Config last;
static unsigned char values[64][8];
static int sizes[64], count;
static int failing;

/* What a test asks: sizes of the parameters of the next launches, then what the last one was given. */
void stub_expect(const int *bytes, int n) { memcpy(sizes, bytes, n * sizeof *bytes); count = n; }
unsigned long stub_launches(void) { return launches; }
void stub_grid(unsigned *out) { memcpy(out, last.grid, sizeof last.grid); memcpy(out + 3, last.block, sizeof last.block); }
void *stub_stream(void) { return last.stream; }
void stub_value(int n, void *out) { memcpy(out, values[n], 8); }
void stub_fail(int error) { failing = error; }

static Result ok(void) { return 0; }
static Result one(int *out) { *out = 1; return 0; }
static Result zero(int *out) { *out = 0; return 0; }
static Result version(int *out) { *out = 13000; return 0; }
static Result device(int *out, int n) { *out = n; return 0; }
static Result attribute(int *out, int which, int n) { *out = which == 75 ? 9 : which == 76 ? 0 : which == 16 ? 4 : 1; return 0; }
static Result context(void **out) { *out = (void *)0x1000; return 0; }
static Result stream_context(void *stream, void **out) { *out = (void *)0x1000; return 0; }
static Result stream_context2(void *stream, void **out, void **green) { *out = (void *)0x1000; if (green) *green = 0; return 0; }
static Result handle(void **out) { static uintptr_t next = 0x10000; *out = (void *)(next += 64); return 0; }
static Result allocate(uint64_t *out, size_t size) { *out = (uint64_t)(uintptr_t)aligned_alloc(256, (size + 255) / 256 * 256); return 0; }
static Result copy_in(uint64_t to, const void *from, size_t size) { memcpy((void *)(uintptr_t)to, from, size); copies++; return 0; }
static Result copy_out(void *to, uint64_t from, size_t size) { memcpy(to, (void *)(uintptr_t)from, size); copies++; return 0; }
static Result not_capturing(void *stream, int *out) { *out = 0; return 0; }
static Result name_of(int error, const char **out) { *out = error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER"; return 0; }
static Result text_of(int error, const char **out) { *out = "an illegal memory access was encountered"; return 0; }
static Result no_attribute(void) { return 1; }
static Result synchronise(void) { return failing; }

static Result launch(const Config *config, void *kernel, void **parameters, void **extra) {
  if (failing) return failing;
  launches++;
  last = *config;
  for (int n = 0; n < count; n++) {
    memset(values[n], 0, 8);
    memcpy(values[n], parameters[n], sizes[n]);
  }
  return 0;
}

static const struct { const char *name; void *function; } KNOWN[] = {
  {"cuDriverGetVersion", version}, {"cuDeviceGetCount", one}, {"cuDeviceGet", device}, {"cuDeviceGetAttribute", attribute},
  {"cuDevicePrimaryCtxRetain", context}, {"cuCtxGetCurrent", context}, {"cuCtxGetDevice", zero}, {"cuCtxGetDevice_v2", zero},
  {"cuStreamGetCtx", stream_context}, {"cuStreamGetCtx_v2", stream_context2}, {"cuStreamCreateWithPriority", handle},
  {"cuEventCreate", handle}, {"cuLibraryLoadData", handle}, {"cuLibraryGetKernel", handle}, {"cuDeviceGetDefaultMemPool", handle},
  {"cuDeviceGetMemPool", handle}, {"cuMemAllocAsync", allocate}, {"cuMemAllocFromPoolAsync", allocate}, {"cuMemAlloc", allocate},
  {"cuMemcpyHtoD", copy_in}, {"cuMemcpyDtoH", copy_out}, {"cuPointerGetAttribute", no_attribute},
  {"cuStreamIsCapturing", not_capturing}, {"cuLaunchKernelEx", launch},
  {"cuStreamSynchronize", synchronise}, {"cuGetErrorName", name_of}, {"cuGetErrorString", text_of},
};

Result cuInit(unsigned flags) { return 0; }
Result cuDeviceGetCount(int *out) { return one(out); }
Result cuDriverGetVersion(int *out) { return version(out); }
Result cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);

Result cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, out, version, flags, 0);
}

Result cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status) {
  if (status) *status = 0;
  *out = !strcmp(name, "cuGetProcAddress") ? (void *)cuGetProcAddress_v2 : (void *)ok;
  for (unsigned n = 0; n < sizeof KNOWN / sizeof *KNOWN; n++)
    if (!strcmp(KNOWN[n].name, name)) *out = KNOWN[n].function;
  return 0;
}
