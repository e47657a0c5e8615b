/* The stub driver's graphs: what is captured on its streams, and done again (`stub_driver.c`, of which this is a part). */

static Result begin_capture(void *handle, int mode) {
  pthread_mutex_lock(&lock);
  Stream *stream = stream_of(handle);
  stream->capturing = 1;
  stream->strict = mode == GLOBAL;
  stream->broken = 0;
  stream->captured = NULL;
  stream->captured_tail = &stream->captured;
  stream->target = calloc(1, sizeof(Graph));
  pthread_mutex_unlock(&lock);
  return 0;
}

static Result begin_capture_to(void *handle, void *graph, void *nodes, void *edges, size_t n, int mode) {
  begin_capture(handle, mode);
  stream_of(handle)->target = graph;
  return 0;
}

static Result create_graph(void **out, unsigned flags) { *out = calloc(1, sizeof(Graph)); return 0; }

static Result end_capture(void *handle, void **out) {
  pthread_mutex_lock(&lock);
  Stream *stream = stream_of(handle);
  int capturing = stream->capturing;
  stream->capturing = 0;
  Graph *made = stream->target;
  if (!capturing || stream->broken) { pthread_mutex_unlock(&lock); return capturing ? INVALIDATED : INVALID; }
  made->first = stream->captured;
  *out = made;
  pthread_mutex_unlock(&lock);
  return 0;
}

static Result is_capturing(void *handle, int *out) {
  pthread_mutex_lock(&lock);
  *out = stream_of(handle)->capturing;
  pthread_mutex_unlock(&lock);
  return 0;
}

static Result instantiate(void **out, void *graph, unsigned long long flags) { Graph *made = calloc(1, sizeof *made); *made = *(Graph *)graph; *out = made; return 0; }
static Result clone_graph(void **out, void *graph) { return instantiate(out, graph, 0); }
static Result instantiate_with(void **out, void *graph, void *params) {
  struct { uint64_t flags; void *stream, *node; int result; } *given = params;
  given->result = 0;
  return instantiate(out, graph, 0);
}
/* What was captured last is what comes next depends on; a stream that waits for an event depends on two things then. */
static Result capture_info(
    void *handle, int *status, uint64_t *id, void **graph, Item *const **nodes, const uint64_t **edges, size_t *n) {
  static Item *before[2];
  static const uint64_t plain[2];
  if (id) *id = 1;
  if (graph) *graph = stream_of(handle)->target;
  if (nodes && n) {
    *n = 0, *nodes = before;
    if (edges) *edges = plain;
    for (Item *item = stream_of(handle)->captured; item; item = item->next)
      if (item->kind == WAIT) *n = 2;
      else if (item->kind != RECORD) before[0] = before[1] = item, *n = 1;
  }
  return is_capturing(handle, status);
}
static Result node_type(Item *node, int *out) { *out = node->kind == KERNEL ? 0 : node->kind == COPY ? 1 : 2; return 0; }
/* The parameters that are asked for end with the context, behind the kernel: all else is nothing. */
static Result node_parameters(Item *node, void **out) {
  memset(out, 0, 56 + 2 * sizeof *out);
  out[8] = (void *)(uintptr_t)(0x1000 + 16 * (node->gpu == ANY ? 0 : node->gpu));
  return 0;
}
static Result destroy_graph(void *graph) { return 0; } /* cuda.core destroys some that it did not get here */
static Result destroy_executable(void *graph) { dropped_graphs++; return 0; }

static Result run_graph(void *graph, void *stream) {
  if (failing) return failing;
  pthread_mutex_lock(&lock);
  here(stream);
  for (Item *item = ((Graph *)graph)->first; item; item = item->next) {
    Item copy = *item;
    if (copy.staged) memcpy(copy.staged = malloc(copy.size ? copy.size : 1), item->staged, copy.size);
    enqueue(stream, copy);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}
