/*
 * A driver without a GPU: memory is the host's, and kernels do nothing, but for those that `stub_meaning` was told of.
 *
 * At first everything is done at once. After `stub_defer` each stream is a queue, and what is at the head of one runs
 * when somebody waits or asks: any head that is ready, by chance. So programs meet orders that a GPU would take a long
 * time to show. Memory that is freed is overwritten, and whatever touches it, or a byte that is no allocation's, is
 * counted (`stub_stray`), and so is a copy whose ends overlap. What is not listed in KNOWN succeeds and does nothing.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
typedef struct { int id; char pad[4]; union { char all[64]; int allowed; } value; } Attribute;
typedef struct { unsigned grid[3], block[3], shared; void *stream; const Attribute *attributes; unsigned count; } Config;
enum { NOT_READY = 600, INVALID = 1, UNSUPPORTED = 900, INVALIDATED = 901, GLOBAL = 0, RELAXED = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* --- What a test asks ----------------------------------------------------------------------------------------------- */

static unsigned long launches, copies, stray, waits, records, stuck, dropped_graphs, misplaced;
static Config last;
static int last_early; /* whether the last launch may begin while the kernel in front of it ends */
static unsigned char values[64][8];
static int sizes[64], count;
static int failing, deferred, held, refused, devices = 1;
static uint64_t chance = 1;

/* Sizes of the parameters of the next launches; then what the last one was given. */
void stub_expect(const int *bytes, int n) { memcpy(sizes, bytes, n * sizeof *bytes); count = n; }
unsigned long stub_launches(void) { return launches; }
unsigned long stub_stray(void) { return stray; }
unsigned long stub_waits(void) { return waits; }
unsigned long stub_records(void) { return records; }
unsigned long stub_stuck(void) { return stuck; }
unsigned long stub_dropped_graphs(void) { return dropped_graphs; }
/* How often a GPU worked on another one's memory, or was asked to work on a stream or an event that is another one's. */
unsigned long stub_misplaced(void) { return misplaced; }
void stub_grid(unsigned *out) { memcpy(out, last.grid, sizeof last.grid); memcpy(out + 3, last.block, sizeof last.block); }
void stub_shape(unsigned *out) { for (int n = 0; n < 3; n++) out[n] = last.grid[n], out[3 + n] = last.block[n]; out[6] = last.shared; }
void *stub_stream(void) { return last.stream; }
int stub_early(void) { return last_early; }
void stub_value(int n, void *out) { memcpy(out, values[n], 8); }
void stub_fail(int error) { failing = error; pthread_cond_broadcast(&changed); }
void stub_refuse(int n) { refused = n; } /* the next allocations fail for want of memory */
void stub_devices(int n) { devices = n; }

static int clusters, large_clusters;
void stub_clusters(int n) { clusters = n; } /* so many run at once; 0 is that nobody knows */
int stub_large_clusters(void) { return large_clusters; } /* how many kernels were allowed them */

/* --- Contexts ------------------------------------------------------------------------------------------------------- */

static _Thread_local void *contexts[16] = {(void *)0x1000};
static _Thread_local int current;

/* Each GPU has the context 0x1000 and 16 for each before it; any other is one of a part of the first. */
static int current_gpu(void) {
  uintptr_t context = (uintptr_t)contexts[current];
  return context >= 0x1000 && context < 0x1000 + 16u * devices ? (int)(context - 0x1000) / 16 : 0;
}

/* --- Allocations ---------------------------------------------------------------------------------------------------- */

typedef struct { uintptr_t at; size_t size; int gpu; } Allocation;
static Allocation *allocations;
static size_t allocated, room;

enum { ANY = -1 }; /* a GPU: memory that all of them can use */

static void enter_allocation(uintptr_t at, size_t size, int gpu) {
  if (allocated == room) allocations = realloc(allocations, (room = room ? 2 * room : 64) * sizeof *allocations);
  allocations[allocated++] = (Allocation){at, size, gpu};
}

static const Allocation *allocation_of(uint64_t at, size_t size) {
  for (size_t n = allocated; n--;)
    if (allocations[n].at <= at && at + size <= allocations[n].at + allocations[n].size) return &allocations[n];
  return NULL;
}

static int on_device(uint64_t at, size_t size) { return allocation_of(at, size) != NULL; }

/* The bytes that a GPU touches; counted if they are no allocation's, or another GPU's. */
static void *touched(uint64_t at, size_t size, int gpu) {
  const Allocation *found = allocation_of(at, size);
  if (found && gpu != ANY && found->gpu != ANY && found->gpu != gpu) misplaced++;
  if (found) return (void *)(uintptr_t)at;
  stray++;
  return NULL;
}

static void release_now(uint64_t at) {
  for (size_t n = allocated; n--;)
    if (allocations[n].at == at) {
      memset((void *)(uintptr_t)at, 0xDD, allocations[n].size);
      free((void *)(uintptr_t)at);
      allocations[n] = allocations[--allocated];
      return;
    }
  stray++;
}

/* --- Queues --------------------------------------------------------------------------------------------------------- */

typedef struct Event { uint64_t recorded, done; int gpu; } Event;
typedef struct Item {
  enum { KERNEL, COPY, SET, RECORD, WAIT, FREE } kind;
  struct Item *next;
  uint64_t to, from, size, pattern, pitch, rows, ticket, number;
  int width, meaning, from_device, to_device, gpu;
  void *staged;
  Event *event;
  uint64_t parameters[5];
} Item;
typedef struct { Item *first; } Graph;
typedef struct Stream { void *handle; int gpu; Item *head, **tail; int capturing, strict, broken; Item *captured, **captured_tail; Graph *target; } Stream;
static Stream streams[1024];
static int open_streams, blind;
static uint64_t numbered;

static Stream *stream_of(void *handle) {
  if ((uintptr_t)handle <= 2) handle = (void *)(uintptr_t)(3 + current_gpu()); /* the default streams of a GPU are one */
  for (int n = 0; n < open_streams; n++) if (streams[n].handle == handle) return &streams[n];
  Stream *made = &streams[open_streams++];
  if (open_streams > 1024) abort();
  made->handle = handle;
  made->gpu = current_gpu();
  made->tail = &made->head;
  return made;
}

static uint64_t draw(uint64_t below) {
  chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
  return (chance * 0x2545F4914F6CDD1DULL >> 33) % below;
}

static void fill(uint64_t at, int width, uint64_t pattern, uint64_t n, int gpu) {
  void *p = touched(at, n * width, gpu);
  if (!p) return;
  if (width == 1) memset(p, (int)pattern, n);
  if (width == 2) for (uint64_t k = 0; k < n; k++) ((uint16_t *)p)[k] = (uint16_t)pattern;
  if (width == 4) for (uint64_t k = 0; k < n; k++) ((uint32_t *)p)[k] = (uint32_t)pattern;
}

/*
 * Kernels that mean something. 1: y = 1664525 y + 1013904223 x + 12345 on 32-bit integers; parameters are y, x, n.
 * 2: y[0] += 1, unless x[0] is not below the limit; then check 0 fails in block 5. Parameters are y, x, n, limit, failures.
 */
static void compute(const Item *item) {
  if (item->meaning == 2) {
    int32_t *y = touched(item->parameters[0], 4, item->gpu), *x = touched(item->parameters[1], 4, item->gpu), limit = (int32_t)item->parameters[3];
    int64_t *words = (int64_t *)(uintptr_t)item->parameters[4];
    if (y && x && *x < limit) ++*y;
    else if (!words[0]) words[1024] = 5, words[2048] = *x, words[3072] = limit, words[0] = 1;
  }
  if (item->meaning != 1) return;
  uint32_t n = (uint32_t)item->parameters[2];
  uint32_t *y = touched(item->parameters[0], 4 * (size_t)n, item->gpu), *x = touched(item->parameters[1], 4 * (size_t)n, item->gpu);
  if (y && x) for (uint32_t k = 0; k < n; k++) y[k] = 1664525u * y[k] + 1013904223u * x[k] + 12345u;
}

static void perform(Item *item) {
  switch (item->kind) {
    case KERNEL: compute(item); break;
    case COPY: {
      const void *from = item->staged ? item->staged : (const void *)(uintptr_t)item->from;
      if (item->from_device && !touched(item->from, item->size, item->gpu)) break;
      if (item->to_device && !touched(item->to, item->size, item->gpu)) break;
      if (!item->staged && item->from < item->to + item->size && item->to < item->from + item->size) stray++;
      memmove((void *)(uintptr_t)item->to, from, item->size);
      copies++;
      break;
    }
    case SET:
      for (uint64_t row = 0; row < item->rows; row++) fill(item->to + row * item->pitch, item->width, item->pattern, item->size, item->gpu);
      break;
    case RECORD: if (item->event->done < item->ticket) item->event->done = item->ticket; break;
    case WAIT: break;
    case FREE: release_now(item->to); break;
  }
}

static int ready(const Stream *stream) {
  const Item *head = stream->head;
  return head && (blind || head->kind != WAIT || head->event->done >= head->ticket);
}

/* What a GPU is asked to do on a stream: counted if that is another GPU's. */
static int *here(void *handle) {
  int *gpu = &stream_of(handle)->gpu;
  misplaced += *gpu != current_gpu();
  return gpu;
}

/* Runs one item of a random stream; 0 if none can run. */
static int step(void) {
  int able = 0, chosen = -1;
  for (int n = 0; n < open_streams; n++) if (ready(&streams[n]) && draw(++able) == 0) chosen = n;
  if (chosen < 0) return 0;
  Stream *stream = &streams[chosen];
  Item *item = stream->head;
  if (!(stream->head = item->next)) stream->tail = &stream->head;
  perform(item);
  free(item->staged);
  free(item);
  pthread_cond_broadcast(&changed);
  return 1;
}

static int anything(void) {
  for (int n = 0; n < open_streams; n++) if (streams[n].head) return 1;
  return 0;
}

static void enqueue(void *handle, Item item) {
  Stream *stream = stream_of(handle);
  Item *made = malloc(sizeof *made);
  *made = item;
  if (made->gpu != ANY) made->gpu = stream->gpu;
  made->next = NULL;
  made->number = ++numbered;
  if (stream->capturing) {
    *stream->captured_tail = made;
    stream->captured_tail = &made->next;
    return;
  }
  *stream->tail = made;
  stream->tail = &made->next;
  if (!deferred) while (step()) {}
}

/* Waits until `done` or a failure; others may run meanwhile. Under the lock. */
#define UNTIL(done)                                                        \
  while (!(done) && !failing) {                                            \
    if (!held && step()) continue;                                         \
    if (!held && !anything()) break;                                       \
    if (!held) { stuck++; break; }                                         \
    pthread_cond_wait(&changed, &lock);                                    \
  }

/* Streams become queues, or, with 0, are emptied and done with at once again. */
void stub_defer(uint64_t seed) {
  pthread_mutex_lock(&lock);
  if (seed) chance = seed;
  deferred = seed != 0;
  if (!deferred) while (step()) {}
  pthread_mutex_unlock(&lock);
}

/* While it is held nothing runs, and whoever waits blocks. */
void stub_hold(int yes) {
  pthread_mutex_lock(&lock);
  held = yes;
  if (yes) deferred = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

/* Runs up to `most` items. */
void stub_run(int most) {
  pthread_mutex_lock(&lock);
  while (most-- > 0 && step()) {}
  pthread_mutex_unlock(&lock);
}

/* Waits of streams for events count for nothing while it is set: what must be seen to go wrong. */
void stub_blind(int yes) { blind = yes; }

/* --- All orders of one program --------------------------------------------------------------------------------------- */

static uint64_t digest(void) {
  uint64_t hash = 14695981039346656037ull;
  for (size_t n = 0; n < allocated; n++)
    for (size_t k = 0; k < allocations[n].size; k += 8) {
      uint64_t word;
      memcpy(&word, (void *)(allocations[n].at + k), 8);
      hash = (hash ^ word) * 1099511628211ull;
      hash ^= hash >> 29;
    }
  return hash;
}

static void perform_in_vitro(Item *item) {
  if (item->kind != FREE) { perform(item); return; }
  for (size_t n = 0; n < allocated; n++)
    if (allocations[n].at == item->to) memset((void *)allocations[n].at, 0xDD, allocations[n].size);
}

/*
 * Runs what is in the queues `times` times, each time from the same memory and in another random order, and last in the
 * order in which it was enqueued; the queues and the memory are then as they were. Returns in how many orders the memory
 * was another one at the end than in the last, or the streams waited for one another.
 */
unsigned long stub_interleave(unsigned long times) {
  pthread_mutex_lock(&lock);
  size_t bytes = 0, at = 0;
  int items = 0;
  for (size_t n = 0; n < allocated; n++) bytes += allocations[n].size;
  char *before = malloc(bytes + 1);
  for (size_t n = 0; n < allocated; at += allocations[n++].size) memcpy(before + at, (void *)allocations[n].at, allocations[n].size);
  Item *heads[1024];
  for (int n = 0; n < open_streams; n++) {
    heads[n] = streams[n].head;
    for (Item *item = heads[n]; item; item = item->next) items++;
  }
  Item **all = malloc((items + 1) * sizeof *all);
  uint64_t *done = malloc((items + 1) * sizeof *done);
  int count = 0;
  for (int n = 0; n < open_streams; n++)
    for (Item *item = heads[n]; item; item = item->next) {
      int place = count++;
      while (place && all[place - 1]->number > item->number) all[place] = all[place - 1], place--;
      all[place] = item;
    }
  for (int n = 0; n < items; n++) done[n] = all[n]->event ? all[n]->event->done : 0;
  unsigned long wrong = 0, stray_before = stray, copies_before = copies;
  uint64_t *digests = malloc((times + 1) * sizeof *digests);
  for (unsigned long t = 0; t <= times; t++) {
    at = 0;
    for (size_t n = 0; n < allocated; at += allocations[n++].size) memcpy((void *)allocations[n].at, before + at, allocations[n].size);
    for (int n = items; n--;) if (all[n]->event) all[n]->event->done = done[n];
    if (t == times) {
      for (int n = 0; n < items; n++) perform_in_vitro(all[n]);
    } else {
      for (int left = items; left; left--) {
        int able = 0, chosen = -1;
        for (int n = 0; n < open_streams; n++) if (ready(&streams[n]) && draw(++able) == 0) chosen = n;
        if (chosen < 0) { digests[t] = 0; goto stopped; }
        Item *item = streams[chosen].head;
        streams[chosen].head = item->next;
        perform_in_vitro(item);
      }
    }
    digests[t] = digest();
  stopped:
    for (int n = 0; n < open_streams; n++) streams[n].head = heads[n];
  }
  for (unsigned long t = 0; t < times; t++) wrong += digests[t] != digests[times];
  at = 0;
  for (size_t n = 0; n < allocated; at += allocations[n++].size) memcpy((void *)allocations[n].at, before + at, allocations[n].size);
  for (int n = items; n--;) if (all[n]->event) all[n]->event->done = done[n];
  copies = copies_before;
  stray = stray_before;
  free(before), free(all), free(done), free(digests);
  pthread_mutex_unlock(&lock);
  return wrong;
}

/* --- Meanings ------------------------------------------------------------------------------------------------------- */

static struct { char name[64]; int meaning; void *kernel; } meanings[64];
static int known_meanings;

/* From now on kernels of this symbol mean something. */
void stub_meaning(const char *symbol, int meaning) {
  strncpy(meanings[known_meanings].name, symbol, 63);
  meanings[known_meanings++].meaning = meaning;
}

static Result new_handle(void **out) { static uintptr_t next = 0x10000; *out = (void *)__atomic_add_fetch(&next, 64, __ATOMIC_RELAXED); return 0; }

static struct { void *kernel; int meaning; } kernels[1024];
static int loaded;

static Result get_kernel(void **out, void *library, const char *name) {
  new_handle(out);
  pthread_mutex_lock(&lock);
  for (int n = 0; n < known_meanings; n++)
    if (!strcmp(meanings[n].name, name) && loaded < 1024) {
      kernels[loaded].kernel = *out;
      kernels[loaded++].meaning = meanings[n].meaning;
    }
  pthread_mutex_unlock(&lock);
  return 0;
}

/* --- The driver's functions ----------------------------------------------------------------------------------------- */

static Result ok(void) { return 0; }
static Result how_many(int *out) { *out = devices; return 0; }
static Result version(int *out) { *out = 13000; return 0; }
static Result device(int *out, int n) { *out = n; return 0; }
static Result attribute(int *out, int which, int n) { *out = which == 75 ? 9 : which == 76 ? 0 : which == 16 ? 4 : 1; return 0; }
static Result context(void **out, int gpu) { *out = (void *)(uintptr_t)(0x1000 + 16 * gpu); return 0; }
static Result current_context(void **out) { *out = contexts[current]; return 0; }
static Result set_context(void *context) { contexts[current] = context; return 0; }
static Result push_context(void *context) { contexts[++current] = context; return 0; }
static Result pop_context(void **out) { *out = contexts[current--]; return 0; }
static Result this_gpu(int *out) { *out = current_gpu(); return 0; }
static Result stream_context(void *stream, void **out) { return context(out, stream_of(stream)->gpu); }
static Result stream_context2(void *stream, void **out, void **green) { if (green) *green = 0; return stream_context(stream, out); }
static Result name_of(int error, const char **out) { *out = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : error == NOT_READY ? "CUDA_ERROR_NOT_READY" : "CUDA_ERROR_OTHER"; return 0; }
static Result text_of(int error, const char **out) { *out = error == 700 ? "an illegal memory access was encountered" : "an error"; return 0; }
static Result new_event(void **out) { Event *made = calloc(1, sizeof(Event)); made->gpu = current_gpu(); *out = made; return 0; }

enum { DEVICE_ORDINAL = 9 };

static Result pointer_attribute(int *out, int which, uint64_t at) {
  pthread_mutex_lock(&lock);
  const Allocation *found = which == DEVICE_ORDINAL ? allocation_of(at, 1) : NULL;
  if (found) *out = found->gpu == ANY ? 0 : found->gpu;
  pthread_mutex_unlock(&lock);
  return found ? 0 : INVALID;
}

static Result new_handle(void **out);
static Result new_stream(void **out) {
  pthread_mutex_lock(&lock);
  new_handle(out), stream_of(*out);
  pthread_mutex_unlock(&lock);
  return 0;
}
static Result pool(void **out, int gpu) { *out = (void *)(uintptr_t)(0x3000 + 16 * gpu); return 0; }

/* Items in a queue or a graph may still name it, unless all is run at once. */
static Result drop_event(void *event) {
  pthread_mutex_lock(&lock);
  Event *own = event;
  if (!deferred && own->done >= own->recorded) free(own);
  pthread_mutex_unlock(&lock);
  return 0;
}

static Result record(void *event, void *stream) {
  pthread_mutex_lock(&lock);
  Event *own = event;
  records++;
  misplaced += *here(stream) != own->gpu;
  enqueue(stream, (Item){.kind = RECORD, .event = own, .ticket = ++own->recorded});
  pthread_mutex_unlock(&lock);
  return failing;
}

static Result wait_event(void *stream, void *event) {
  pthread_mutex_lock(&lock);
  Event *own = event;
  waits++;
  if (own->recorded) enqueue(stream, (Item){.kind = WAIT, .event = own, .ticket = own->recorded});
  pthread_mutex_unlock(&lock);
  return failing;
}

static Result query_event(void *event) {
  pthread_mutex_lock(&lock);
  Event *own = event;
  if (deferred && !held) for (uint64_t n = draw(4); n && step(); n--) {}
  int done = own->done >= own->recorded;
  pthread_mutex_unlock(&lock);
  return failing ? failing : done ? 0 : NOT_READY;
}

static Result sync_event(void *event) {
  pthread_mutex_lock(&lock);
  Event *own = event;
  uint64_t ticket = own->recorded;
  UNTIL(own->done >= ticket)
  pthread_mutex_unlock(&lock);
  return failing;
}

static Result sync_stream(void *handle) {
  pthread_mutex_lock(&lock);
  Stream *stream = stream_of(handle);
  int capturing = stream->capturing;
  if (!capturing) UNTIL(!stream->head)
  pthread_mutex_unlock(&lock);
  return capturing ? UNSUPPORTED : failing;
}

static Result query_stream(void *handle) {
  pthread_mutex_lock(&lock);
  int empty = !stream_of(handle)->head;
  pthread_mutex_unlock(&lock);
  return failing ? failing : empty ? 0 : NOT_READY;
}

static Result sync_context(void) {
  pthread_mutex_lock(&lock);
  UNTIL(!anything())
  pthread_mutex_unlock(&lock);
  return failing;
}

static Result allocate_for(uint64_t *out, size_t size, int gpu) {
  size_t whole = (size + 255) / 256 * 256;
  int left = __atomic_load_n(&refused, __ATOMIC_RELAXED);
  while (left > 0 && !__atomic_compare_exchange_n(&refused, &left, left - 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  if (left > 0) return 2;
  *out = (uint64_t)(uintptr_t)aligned_alloc(256, whole);
  pthread_mutex_lock(&lock);
  enter_allocation((uintptr_t)*out, whole, gpu);
  pthread_mutex_unlock(&lock);
  return *out ? 0 : 2;
}
static Result allocate(uint64_t *out, size_t size) { return allocate_for(out, size, current_gpu()); }
static Result allocate_of(uint64_t *out, size_t size, void *pool) { return allocate_for(out, size, (int)((uintptr_t)pool - 0x3000) / 16); }

/* Memory of the host is no allocation of the device's. */
/* Page-locked memory: copied when it is the copy's turn, as a GPU's is. */
static Result allocate_on_host(void **out, size_t size, unsigned flags) {
  pthread_mutex_lock(&lock);
  *out = calloc(1, size);
  enter_allocation((uintptr_t)*out, size, ANY);
  pthread_mutex_unlock(&lock);
  return *out ? 0 : 2;
}

static Result release(uint64_t at) {
  pthread_mutex_lock(&lock);
  UNTIL(!anything())
  release_now(at);
  pthread_mutex_unlock(&lock);
  return 0;
}

/* How the thread meets captures of others: a capture that is strict fails if a thread that is not relaxed frees. */
static _Thread_local int meets;
static Result exchange_mode(int *mode) { int before = meets; meets = *mode; *mode = before; return 0; }
static int breaks_a_capture(Stream *at) {
  int found = 0;
  for (int n = 0; n < open_streams; n++)
    if (streams[n].capturing && (&streams[n] == at || (streams[n].strict && meets != RELAXED))) found = streams[n].broken = 1;
  return found;
}

static Result release_later(uint64_t at, void *stream) {
  pthread_mutex_lock(&lock);
  if (breaks_a_capture(stream_of(stream))) { pthread_mutex_unlock(&lock); return UNSUPPORTED; }
  enqueue(stream, (Item){.kind = FREE, .to = at});
  pthread_mutex_unlock(&lock);
  return 0;
}

/* From the host's memory the bytes are taken at once; to the host's memory the caller waits. */
static Result copy_later(uint64_t to, uint64_t from, size_t size, void *stream) {
  pthread_mutex_lock(&lock);
  int from_device = on_device(from, size), to_device = on_device(to, size);
  Item item = {.kind = COPY, .to = to, .from = from, .size = size, .from_device = from_device, .to_device = to_device};
  here(stream);
  if (!from_device) memcpy(item.staged = malloc(size ? size : 1), (void *)(uintptr_t)from, size);
  enqueue(stream, item);
  Stream *queue = stream_of(stream);
  if (!to_device && !queue->capturing) UNTIL(!queue->head)
  pthread_mutex_unlock(&lock);
  return failing;
}

static Result copy_between(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t size, void *stream) {
  pthread_mutex_lock(&lock);
  here(stream);
  void *ends[2];
  context(&ends[0], allocation_of(to, size)->gpu), context(&ends[1], allocation_of(from, size)->gpu);
  misplaced += ends[0] != to_context || ends[1] != from_context;
  enqueue(stream, (Item){.kind = COPY, .to = to, .from = from, .size = size, .from_device = 1, .to_device = 1, .gpu = ANY});
  pthread_mutex_unlock(&lock);
  return failing;
}

static Result copy_now(uint64_t to, uint64_t from, size_t size) {
  copy_later(to, from, size, NULL);
  return sync_stream(NULL);
}

static Result set2d(uint64_t at, size_t pitch, int width, uint64_t pattern, size_t n, size_t rows, void *stream) {
  pthread_mutex_lock(&lock);
  here(stream);
  enqueue(stream, (Item){.kind = SET, .to = at, .pitch = pitch, .width = width, .pattern = pattern, .size = n, .rows = rows});
  pthread_mutex_unlock(&lock);
  return 0;
}
static Result set8(uint64_t at, unsigned char bits, size_t n, void *stream) { return set2d(at, 0, 1, bits, n, 1, stream); }
static Result set16(uint64_t at, unsigned short bits, size_t n, void *stream) { return set2d(at, 0, 2, bits, n, 1, stream); }
static Result set32(uint64_t at, unsigned bits, size_t n, void *stream) { return set2d(at, 0, 4, bits, n, 1, stream); }
static Result set2d32(uint64_t at, size_t pitch, unsigned bits, size_t width, size_t height, void *stream) { return set2d(at, pitch, 4, bits, width, height, stream); }

static Result launch(const Config *config, void *kernel, void **parameters, void **extra) {
  if (failing) return failing;
  pthread_mutex_lock(&lock);
  launches++;
  last = *config, last_early = 0;
  for (unsigned n = 0; n < config->count; n++) last_early |= config->attributes[n].id == 6 && config->attributes[n].value.allowed;
  for (int n = 0; n < count; n++) {
    memset(values[n], 0, 8);
    memcpy(values[n], parameters[n], sizes[n]);
  }
  Item item = {.kind = KERNEL};
  for (int n = 0; n < loaded; n++) if (kernels[n].kernel == kernel) item.meaning = kernels[n].meaning;
  if (item.meaning == 1) {
    memcpy(&item.parameters[0], parameters[0], 8);
    memcpy(&item.parameters[1], parameters[1], 8);
    memcpy(&item.parameters[2], parameters[2], 4);
  }
  if (item.meaning == 2)
    for (int n = 0; n < 5; n++) memcpy(&item.parameters[n], parameters[n], n == 2 || n == 3 ? 4 : 8);
  here(config->stream);
  enqueue(config->stream, item);
  pthread_mutex_unlock(&lock);
  return 0;
}

static Result launch_plainly(
    void *kernel, unsigned x, unsigned y, unsigned z, unsigned u, unsigned v, unsigned w, unsigned shared, void *stream,
    void **parameters, void **extra) {
  Config config = {{x, y, z}, {u, v, w}, shared, stream, NULL, 0};
  return launch(&config, kernel, parameters, extra);
}

#include "stub_graphs.h"

static Result active_clusters(int *out, void *function, const void *config) { *out = clusters; return 0; }
static Result set_kernel_attribute(int which, int value, void *kernel, int device) { large_clusters += which == 14 && value; return 0; }

static const struct { const char *name; void *function; } KNOWN[] = {
  {"cuDriverGetVersion", version}, {"cuDeviceGetCount", how_many}, {"cuDeviceGet", device}, {"cuDeviceGetAttribute", attribute},
  {"cuDevicePrimaryCtxRetain", context}, {"cuCtxGetCurrent", current_context}, {"cuCtxSetCurrent", set_context}, {"cuCtxPushCurrent", push_context}, {"cuCtxPopCurrent", pop_context}, {"cuCtxGetDevice", this_gpu}, {"cuCtxGetDevice_v2", this_gpu},
  {"cuCtxSynchronize", sync_context}, {"cuStreamGetCtx", stream_context}, {"cuStreamGetCtx_v2", stream_context2},
  {"cuStreamCreateWithPriority", new_stream}, {"cuStreamCreate", new_stream}, {"cuStreamSynchronize", sync_stream},
  {"cuStreamQuery", query_stream}, {"cuStreamWaitEvent", wait_event}, {"cuEventCreate", new_event}, {"cuEventDestroy", drop_event}, {"cuEventRecord", record},
  {"cuEventQuery", query_event}, {"cuEventSynchronize", sync_event}, {"cuLibraryLoadData", new_handle},
  {"cuLibraryGetKernel", get_kernel}, {"cuDeviceGetDefaultMemPool", pool}, {"cuDeviceGetMemPool", pool},
  {"cuMemAllocAsync", allocate}, {"cuMemAllocFromPoolAsync", allocate_of}, {"cuMemAlloc", allocate}, {"cuMemFree", release},
  {"cuMemFreeAsync", release_later}, {"cuMemHostAlloc", allocate_on_host}, {"cuMemFreeHost", release}, {"cuMemcpyAsync", copy_later}, {"cuMemcpyHtoDAsync", copy_later},
  {"cuMemcpyDtoHAsync", copy_later}, {"cuMemcpyDtoDAsync", copy_later}, {"cuMemcpy", copy_now}, {"cuMemcpyHtoD", copy_now},
  {"cuMemcpyDtoH", copy_now}, {"cuMemcpyDtoD", copy_now}, {"cuMemsetD8Async", set8}, {"cuMemsetD16Async", set16},
  {"cuMemsetD32Async", set32}, {"cuMemsetD2D32Async", set2d32}, {"cuPointerGetAttribute", pointer_attribute}, {"cuMemcpyPeerAsync", copy_between},
  {"cuStreamIsCapturing", is_capturing}, {"cuThreadExchangeStreamCaptureMode", exchange_mode}, {"cuStreamBeginCapture", begin_capture}, {"cuStreamEndCapture", end_capture},
  {"cuGraphInstantiate", instantiate}, {"cuGraphInstantiateWithFlags", instantiate},
  {"cuGraphInstantiateWithParams", instantiate_with}, {"cuStreamGetCaptureInfo", capture_info},
  {"cuGraphNodeGetType", node_type}, {"cuGraphKernelNodeGetParams", node_parameters},
  {"cuStreamBeginCaptureToGraph", begin_capture_to}, {"cuGraphCreate", create_graph}, {"cuGraphClone", clone_graph}, {"cuGraphDestroy", destroy_graph},
  {"cuGraphExecDestroy", destroy_executable}, {"cuGraphLaunch", run_graph}, {"cuLaunchKernelEx", launch},
  {"cuLaunchKernel", launch_plainly},
  {"cuOccupancyMaxActiveClusters", active_clusters}, {"cuKernelSetAttribute", set_kernel_attribute},
  {"cuGetErrorName", name_of}, {"cuGetErrorString", text_of},
};

Result cuInit(unsigned flags) { return 0; }
Result cuDeviceGetCount(int *out) { return how_many(out); }
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
