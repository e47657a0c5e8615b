/*
 * The plain launch, without Python in between (`freehold.runtime.native` says when it is used).
 *
 * A launcher knows one plan: a kernel, its grid, what its arguments have to look like. It launches where everything is
 * as it knows it: exact classes, the same partition, extents, strides and alignment, scalars that fit, arrays that lie
 * apart, tensors that one stream alone uses. It judges nothing: whatever is otherwise, the driver's errors too, it leaves
 * as it is, for the Python that makes all checks and says what is wrong. So nothing here raises an error of its own, and
 * everything works without it.
 *
 * Objects of Freehold are read where their slots lie, which is found out by putting something there (`learn`); every
 * object's class is compared first. No Python runs between looking and leasing. The interpreter's lock is given up while
 * the driver works.
 */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST = 64 }; /* arguments, and parameters, of a kernel */

typedef int (*LaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
typedef int (*CurrentDevice)(int *);

/* --- Where things lie ------------------------------------------------------------------------------------------------ */

enum { LAUNCH, CHAIN, PARTITION, TENSOR, STORAGE, SPACE, TIMELINE, EXECUTION, CLASSES };
static PyObject *classes[CLASSES];
#define CLASS(object) ((PyObject *)Py_TYPE((PyObject *)(object)))

enum {
  LAUNCH_DISPATCHER, LAUNCH_ARGUMENTS, LAUNCH_CODE, LAUNCH_INSTRUCTION, CHAIN_SOURCE, CHAIN_FUNCTION, CHAIN_NESTS,
  PARTITION_ARRAY, PARTITION_SPEC, TENSOR_POINTER, TENSOR_KEY,
  TENSOR_SPACE, TENSOR_STORAGE, TENSOR_EPOCH, STORAGE_EPOCH, SPACE_SOLE, SPACE_WROTE, TIMELINE_NOW, EXECUTION_PLACES,
  EXECUTION_RECORDING, SLOTS
};
static const struct { int class; const char *name; } slots[SLOTS] = {
  {LAUNCH, "_dispatcher"}, {LAUNCH, "_arguments"}, {LAUNCH, "_code"}, {LAUNCH, "_instruction"}, {CHAIN, "_source"},
  {CHAIN, "_function"}, {CHAIN, "_nests"}, {PARTITION, "array"}, {PARTITION, "spec"},
  {TENSOR, "pointer"}, {TENSOR, "_key"}, {TENSOR, "space"}, {TENSOR, "storage"}, {TENSOR, "epoch"}, {STORAGE, "epoch"},
  {SPACE, "sole"}, {SPACE, "wrote"}, {TIMELINE, "now"}, {EXECUTION, "places"}, {EXECUTION, "recording"},
};
static Py_ssize_t offsets[SLOTS];
static PyObject *acquire, *release, *remember; /* of the ledger's lock, and of the trail of launches */
static PyObject *undone;                       /* what `run` returns that did nothing */

/* Of an object of the slot's class; borrowed, and NULL where it is not set. */
#define SLOT(object, slot) (*(PyObject **)((char *)(object) + offsets[slot]))

/* Takes over a reference. */
static void put(PyObject *object, int slot, PyObject *value) {
  PyObject *before = SLOT(object, slot);
  SLOT(object, slot) = value;
  Py_XDECREF(before);
}

static Py_ssize_t offset_of(PyObject *instance, const char *name) {
  Py_ssize_t size = 0, found = 0;
  PyObject *basic = PyObject_GetAttrString(CLASS(instance), "__basicsize__");
  if (basic) size = PyLong_AsSsize_t(basic);
  PyObject *before = PyObject_GetAttrString(instance, name), *mark = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
  if (basic && before && mark && !PyErr_Occurred() && !PyObject_SetAttrString(instance, name, mark)) {
    for (Py_ssize_t at = sizeof(PyObject); at + (Py_ssize_t)sizeof mark <= size; at += sizeof mark)
      if (*(PyObject **)((char *)instance + at) == mark) found = found ? -1 : at;
    if (PyObject_SetAttrString(instance, name, before)) found = 0;
  }
  Py_XDECREF(basic), Py_XDECREF(before), Py_XDECREF(mark);
  if (found <= 0 && !PyErr_Occurred()) PyErr_Format(PyExc_SystemError, "slot %s is not where one was looked for", name);
  return found;
}

/* Finds where the slots of a class lie. */
static int know(int class, PyObject *instance) {
  for (int n = 0; n < SLOTS; n++) {
    Py_ssize_t found = slots[n].class == class ? offset_of(instance, slots[n].name) : offsets[n];
    if (slots[n].class == class && found <= 0) return 0;
    offsets[n] = found;
  }
  Py_INCREF(classes[class] = CLASS(instance));
  return 1;
}

static PyObject *learn(PyObject *module, PyObject *args) {
  PyObject *one[CLASSES];
  if (!PyArg_ParseTuple(args, "(OOOOOOOO)OOOO", &one[0], &one[1], &one[2], &one[3], &one[4], &one[5], &one[6], &one[7],
                        &acquire, &release, &remember, &undone))
    return NULL;
  for (int n = 0; n < CLASSES; n++)
    if (!know(n, one[n])) return NULL;
  Py_INCREF(args); /* with all that is in it, for good */
  Py_RETURN_NONE;
}

/* --- What a launch is described by ------------------------------------------------------------------------------------ */

static PyObject *kinds, *specs, *cut;   /* classes of partitions by array's class, specs by tile, and what takes all else */
static PyObject *plain, *lasti, *call;  /* names */

static PyObject *partition(PyObject *module, PyObject *const *given, Py_ssize_t count, PyObject *names) {
  PyObject *array = count == 2 && !names ? given[0] : NULL, *tile = array ? given[1] : NULL;
  if (tile && (PyLong_CheckExact(tile) || PyTuple_CheckExact(tile))) {
    PyObject *spec = PyDict_GetItemWithError(specs, tile), *kind = spec ? PyDict_GetItemWithError(kinds, CLASS(array)) : NULL;
    if (kind) {
      PyObject *made = PyType_GenericAlloc((PyTypeObject *)kind, 0);
      if (!made) return NULL;
      Py_INCREF(SLOT(made, PARTITION_ARRAY) = array);
      Py_INCREF(SLOT(made, PARTITION_SPEC) = spec);
      return made;
    }
  }
  PyErr_Clear();
  PyObject *args = PyTuple_New(count), *options = PyDict_New(), *made = NULL;
  for (Py_ssize_t n = 0; args && n < count; n++) {
    Py_INCREF(given[n]);
    PyTuple_SetItem(args, n, given[n]);
  }
  for (Py_ssize_t n = 0; options && names && n < PyTuple_Size(names); n++)
    if (PyDict_SetItem(options, PyTuple_GetItem(names, n), given[count + n])) Py_CLEAR(options);
  if (args && options) made = PyObject_Call(cut, args, options);
  Py_XDECREF(args), Py_XDECREF(options);
  return made;
}

static PyObject *chain(PyObject *module, PyObject *const *given, Py_ssize_t count) {
  if (count != 3) return PyErr_Format(PyExc_TypeError, "chain takes 3 arguments, not %zd", count);
  PyObject *made = PyType_GenericAlloc((PyTypeObject *)classes[CHAIN], 0);
  for (int n = 0; made && n < 3; n++) Py_INCREF(SLOT(made, CHAIN_SOURCE + n) = given[n]);
  return made;
}

/* Calls a kernel: `_plain` is its number of parameters and its dispatcher, once it was called; `_called` takes all else. */
static PyObject *described(PyObject *self, PyObject *args, PyObject *options) {
  PyObject *ready = PyObject_GetAttr(self, plain), *frame = (PyObject *)PyEval_GetFrame(), *made = NULL;
  if (ready && frame && !options && PyTuple_CheckExact(ready) && PyTuple_Size(args) == PyLong_AsSsize_t(PyTuple_GetItem(ready, 0))) {
    PyObject *instruction = PyObject_GetAttr(frame, lasti);
    made = instruction ? PyType_GenericAlloc((PyTypeObject *)classes[LAUNCH], 0) : NULL;
    if (made) {
      Py_INCREF(SLOT(made, LAUNCH_DISPATCHER) = PyTuple_GetItem(ready, 1));
      Py_INCREF(SLOT(made, LAUNCH_ARGUMENTS) = args);
      SLOT(made, LAUNCH_CODE) = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
      SLOT(made, LAUNCH_INSTRUCTION) = instruction;
    }
  } else if (ready) {
    PyObject *otherwise = PyObject_GetAttr(self, call);
    made = otherwise ? PyObject_Call(otherwise, args, options) : NULL;
    Py_XDECREF(otherwise);
  }
  Py_XDECREF(ready);
  return made;
}

/* Says that a launch was never run, as its method `_unrun` does. */
static void dropped(PyObject *self) {
  PyObject *arguments = CLASS(self) == classes[LAUNCH] ? SLOT(self, LAUNCH_ARGUMENTS) : NULL, *kind, *value, *trace;
  if (!arguments || arguments == Py_None) return;
  PyErr_Fetch(&kind, &value, &trace);
  PyObject *method = PyObject_GetAttrString(self, "_unrun"), *told = method ? PyObject_CallNoArgs(method) : NULL;
  if (!told) PyErr_WriteUnraisable(self);
  Py_XDECREF(method), Py_XDECREF(told);
  PyErr_Restore(kind, value, trace);
}

static PyType_Slot dropped_slots[] = {{Py_tp_finalize, dropped}, {0}};
static PyType_Spec dropped_spec = {
  "freehold.runtime._native.Dropped", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, dropped_slots,
};
static PyType_Slot caller_slots[] = {{Py_tp_call, described}, {0}};
static PyType_Spec caller_spec = {
  "freehold.runtime._native.Caller", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, caller_slots,
};

/* --- Launchers ------------------------------------------------------------------------------------------------------- */

static const char launcher_doc[] =
  "Launcher(launch, current, kernel, blocks, device, memory, offsets, arguments, places, what, value): one plan's launches.\n\n"
  "`launch` and `current` are addresses of the driver's functions. An argument is (code, place, written, low, size, class,\n"
  "spec, known).";

typedef struct {
  int code;          /* P: an address; c: a constant; else as `struct` calls a scalar */
  int place;         /* of the parameter in memory */
  int written, low;  /* an array: whether it is more than read, and the last four bits of its address */
  long long size;    /* an array: bytes that it spans */
  PyObject *class;
  PyObject *spec;    /* its partition's, or None */
  PyObject *known;   /* a tensor's key; a constant */
} Argument;

typedef struct {
  PyObject_HEAD
  LaunchKernel launch;
  CurrentDevice current; /* NULL where there is one GPU only */
  void *kernel;
  unsigned blocks;
  int device, arguments, parameters;
  uint64_t memory[MOST]; /* what is known of the parameters, eight bytes each */
  uint16_t at[MOST];     /* by parameter: where it lies there, in bytes */
  Argument *argument;
  int value;             /* the argument that is the launch's value; -1 where it is not one of them */
  PyObject *number;      /* the device's */
  PyObject *places;      /* a dictionary: where launches run that name no stream */
  PyObject *what;        /* what a launch is, in an error's words */
  PyObject *trace;       /* the last one that was left; the next one is mostly the same */
} Launcher;

/* Packs a scalar as `struct` would; 0 where that would raise. May run Python. */
static int pack(int code, PyObject *value, uint64_t *memory) {
  if (code == '?') {
    int truth = PyObject_IsTrue(value);
    *memory = (uint64_t)(truth > 0);
    return truth >= 0;
  }
  if (code == 'f' || code == 'd') {
    double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) return 0;
    float narrow = (float)number;
    *memory = 0;
    memcpy(memory, code == 'd' ? (void *)&number : (void *)&narrow, code == 'd' ? 8 : 4);
    return code == 'd' || !isinf(narrow) || isinf(number);
  }
  PyObject *whole = PyNumber_Index(value);
  if (!whole) return 0;
  if (code == 'Q' || code == 'P') {
    *memory = PyLong_AsUnsignedLongLong(whole);
    Py_DECREF(whole);
    return !(*memory == UINT64_MAX && PyErr_Occurred());
  }
  long long number = PyLong_AsLongLong(whole);
  Py_DECREF(whole);
  if (number == -1 && PyErr_Occurred()) return 0;
  int width = code == 'b' || code == 'B' ? 8 : code == 'h' || code == 'H' ? 16 : code == 'i' || code == 'I' ? 32 : 64;
  int is_signed = code >= 'a';
  *memory = (uint64_t)number & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
  if (width == 64) return 1;
  return is_signed ? number >= -(1LL << (width - 1)) && number < 1LL << (width - 1) : number >= 0 && number < 1LL << width;
}

/* Whether no array that is written shares a byte's span with another one. */
static int apart(const Launcher *self, const uint64_t *memory) {
  for (int n = 0; n < self->arguments; n++) {
    const Argument *one = &self->argument[n];
    if (one->code != 'P') continue;
    for (int m = 0; m < n; m++) {
      const Argument *other = &self->argument[m];
      if (other->code != 'P' || !(one->written || other->written)) continue;
      uint64_t p = memory[one->place], q = memory[other->place];
      if (p < q + (uint64_t)other->size && q < p + (uint64_t)one->size) return 0;
    }
  }
  return 1;
}

/* Whether the driver took it. Without the interpreter's lock. */
static int enqueued(const Launcher *self, void *stream, uint64_t *memory) {
  void *parameters[MOST];
  for (int n = 0; n < self->parameters; n++) parameters[n] = (char *)memory + self->at[n];
  PyThreadState *state = PyEval_SaveThread();
  int device = self->device;
  int error = self->current ? self->current(&device) || device != self->device : 0;
  if (!error) error = self->launch(self->kernel, self->blocks, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
  PyEval_RestoreThread(state);
  return !error;
}

static PyObject *values(Launcher *self, PyObject *const *given, Py_ssize_t count) {
  uint64_t memory[MOST], stream = 0;
  memcpy(memory, self->memory, sizeof(uint64_t) * self->parameters);
  Py_ssize_t next = 0;
  int good = count > 0 && pack('P', given[next++], &stream);
  for (int n = 0; good && n < self->arguments; n++)
    if (self->argument[n].code != 'c')
      good = next < count && pack(self->argument[n].code, given[next++], &memory[self->argument[n].place]);
  good = good && next == count && apart(self, memory);
  PyErr_Clear();
  return PyBool_FromLong(good && enqueued(self, (void *)(uintptr_t)stream, memory));
}

/* Where to run, as `Execution.place` says, with a reference; NULL where that is not known yet. */
static PyObject *place_of(const Launcher *self, PyObject *execution) {
  PyObject *found = NULL;
  if (execution == Py_None) {
    found = self->places;
  } else if (CLASS(execution) == classes[EXECUTION] && SLOT(execution, EXECUTION_RECORDING) == Py_None) {
    found = SLOT(execution, EXECUTION_PLACES);
  }
  if (found && PyDict_Check(found)) found = PyDict_GetItemWithError(found, self->number);
  if (!found || !PyTuple_CheckExact(found) || PyTuple_Size(found) != 3) return NULL;
  if (CLASS(PyTuple_GetItem(found, 2)) != classes[TIMELINE]) return NULL;
  Py_INCREF(found);
  return found;
}

/* The tensor of an argument that looks as it is known; NULL for others. */
static PyObject *tensor_of(const Argument *known, PyObject *given) {
  if (CLASS(given) != known->class) return NULL;
  if (known->spec != Py_None) {
    if (SLOT(given, PARTITION_SPEC) != known->spec) return NULL;
    given = SLOT(given, PARTITION_ARRAY);
  }
  if (!given || CLASS(given) != classes[TENSOR] || SLOT(given, TENSOR_KEY) != known->known) return NULL;
  return given;
}

static int same_number(PyObject *one, PyObject *other) {
  if (one == other) return one != NULL;
  return one && other && PyLong_AsLongLong(one) == PyLong_AsLongLong(other);
}

/* Looks at all tensors and, where nobody is in the way, enters the launch in the ledger. Under its lock; runs no Python. */
static int taken(const Launcher *self, PyObject *arguments, PyObject *user, uint64_t *memory) {
  PyObject *written[MOST];
  int writes = 0;
  for (int n = 0; n < self->arguments; n++) {
    const Argument *known = &self->argument[n];
    if (known->code != 'P') continue;
    PyObject *tensor = tensor_of(known, PyTuple_GetItem(arguments, n));
    if (!tensor) return 0;
    PyObject *address = SLOT(tensor, TENSOR_POINTER), *space = SLOT(tensor, TENSOR_SPACE), *storage = SLOT(tensor, TENSOR_STORAGE);
    if (!address || !PyLong_CheckExact(address) || !space || CLASS(space) != classes[SPACE]) return 0;
    if (!storage || CLASS(storage) != classes[STORAGE] || SLOT(space, SPACE_SOLE) != user) return 0;
    if (!same_number(SLOT(tensor, TENSOR_EPOCH), SLOT(storage, STORAGE_EPOCH))) return 0;
    uint64_t pointer = PyLong_AsUnsignedLongLong(address);
    if ((int)(pointer & 15) != known->low) return 0;
    memory[known->place] = pointer;
    if (known->written) written[writes++] = space;
  }
  if (PyErr_Occurred() || !apart(self, memory)) return 0;
  PyObject *now = SLOT(user, TIMELINE_NOW);
  PyObject *tick = now && PyLong_CheckExact(now) ? PyLong_FromLongLong(PyLong_AsLongLong(now) + 1) : NULL;
  if (!tick) return 0;
  for (int n = 0; n < writes; n++) {
    Py_INCREF(tick);
    put(written[n], SPACE_WROTE, tick);
  }
  put(user, TIMELINE_NOW, tick);
  return 1;
}

/* Whether it launched; -1 with an exception of the lock's. */
static int launched(Launcher *self, PyObject *arguments, PyObject *place) {
  uint64_t memory[MOST], stream = 0;
  memcpy(memory, self->memory, sizeof(uint64_t) * self->parameters);
  if (!pack('P', PyTuple_GetItem(place, 1), &stream)) return 0;
  for (int n = 0; n < self->arguments; n++) {
    const Argument *known = &self->argument[n];
    if (known->code == 'P') continue; /* once the lock is held */
    PyObject *given = PyTuple_GetItem(arguments, n);
    if (CLASS(given) != known->class) return 0;
    if (known->code == 'c' ? given != known->known : !pack(known->code, given, &memory[known->place])) return 0;
  }
  PyObject *held = PyObject_CallNoArgs(acquire);
  if (!held) return -1;
  Py_DECREF(held);
  int done = taken(self, arguments, PyTuple_GetItem(place, 2), memory);
  if (!done) PyErr_Clear();
  done = done && enqueued(self, (void *)(uintptr_t)stream, memory);
  PyObject *freed = PyObject_CallNoArgs(release);
  if (!freed) return -1;
  Py_DECREF(freed);
  return done;
}

/* The stream that it launched on, with a reference; NULL where it did not, then perhaps with an exception of the lock's. */
static PyObject *stream_of(Launcher *self, PyObject *arguments, PyObject *execution) {
  if (!arguments || !PyTuple_CheckExact(arguments) || PyTuple_Size(arguments) != self->arguments) return NULL;
  PyObject *stream = NULL, *place = place_of(self, execution);
  int done = place ? launched(self, arguments, place) : 0;
  if (done > 0) Py_INCREF(stream = PyTuple_GetItem(place, 0));
  Py_XDECREF(place);
  if (!done) PyErr_Clear();
  return stream;
}

static PyObject *read_(Launcher *self, PyObject *const *given, Py_ssize_t count) {
  if (count != 2) return PyErr_Format(PyExc_TypeError, "read takes 2 arguments, not %zd", count);
  PyObject *stream = stream_of(self, given[0], given[1]);
  if (stream || PyErr_Occurred()) return stream;
  Py_RETURN_NONE;
}

/* A launch's value, once it is enqueued and its trace is left. */
static PyObject *done(Launcher *self, PyObject *launch, PyObject *arguments, PyObject *stream) {
  PyObject *value = PyTuple_GetItem(arguments, self->value), *noted = NULL;
  if (self->argument[self->value].spec != Py_None) value = SLOT(value, PARTITION_ARRAY);
  Py_XINCREF(value);
  PyObject *trace = self->trace, *code = SLOT(launch, LAUNCH_CODE), *instruction = SLOT(launch, LAUNCH_INSTRUCTION);
  if (trace && PyLong_AsVoidPtr(PyTuple_GetItem(trace, 0)) == stream && PyTuple_GetItem(trace, 2) == code &&
      same_number(PyTuple_GetItem(trace, 3), instruction)) {
    Py_INCREF(trace);
  } else {
    PyObject *number = PyLong_FromVoidPtr(stream);
    trace = number ? PyTuple_Pack(4, number, self->what, code, instruction) : NULL;
    PyObject *before = self->trace;
    Py_XINCREF(self->trace = trace);
    Py_XDECREF(number), Py_XDECREF(before);
  }
  if (trace) noted = PyObject_CallFunctionObjArgs(remember, trace, NULL);
  if (!noted) Py_CLEAR(value);
  Py_DECREF(stream), Py_XDECREF(trace), Py_XDECREF(noted);
  return value;
}

static PyObject *run(Launcher *self, PyObject *const *given, Py_ssize_t count) {
  if (count != 2 && count != 3) return PyErr_Format(PyExc_TypeError, "run takes 2 or 3 arguments, not %zd", count);
  PyObject *launch = given[0], *stream = NULL, *value = NULL;
  if (self->value >= 0 && CLASS(launch) == classes[LAUNCH]) {
    PyObject *arguments = count == 3 ? given[2] : SLOT(launch, LAUNCH_ARGUMENTS);
    Py_XINCREF(arguments);
    if (count == 2) Py_INCREF(Py_None), put(launch, LAUNCH_ARGUMENTS, Py_None); /* no other thread runs it */
    stream = stream_of(self, arguments, given[1]);
    if (stream) value = done(self, launch, arguments, stream);
    else if (count == 2) Py_XINCREF(arguments), put(launch, LAUNCH_ARGUMENTS, arguments);
    Py_XDECREF(arguments);
  }
  if (!stream && !PyErr_Occurred()) Py_INCREF(value = undone);
  return value;
}
static void dealloc(Launcher *self) {
  PyObject *type = CLASS(self);
  for (int n = 0; n < self->arguments; n++) {
    Py_XDECREF(self->argument[n].class), Py_XDECREF(self->argument[n].spec), Py_XDECREF(self->argument[n].known);
  }
  Py_XDECREF(self->number), Py_XDECREF(self->places), Py_XDECREF(self->what), Py_XDECREF(self->trace);
  PyMem_Free(self->argument);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  unsigned long long launch, current, kernel;
  unsigned blocks;
  int device;
  const char *memory, *at;
  Py_ssize_t bytes, parameters;
  PyObject *arguments, *places, *what;
  int value;
  if (!PyArg_ParseTuple(args, "KKKIiy#y#O!O!Oi", &launch, &current, &kernel, &blocks, &device, &memory, &bytes, &at,
                        &parameters, &PyTuple_Type, &arguments, &PyDict_Type, &places, &what, &value))
    return NULL;
  Py_ssize_t count = PyTuple_Size(arguments);
  parameters /= 2;
  if (count > MOST || bytes > (Py_ssize_t)sizeof(uint64_t) * MOST || parameters > MOST || bytes < 8 * parameters || value >= count)
    return PyErr_Format(PyExc_ValueError, "too many arguments");
  Launcher *self = (Launcher *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  self->launch = (LaunchKernel)(uintptr_t)launch;
  self->current = (CurrentDevice)(uintptr_t)current;
  self->kernel = (void *)(uintptr_t)kernel;
  self->blocks = blocks;
  self->device = device;
  self->parameters = (int)parameters;
  memcpy(self->memory, memory, bytes);
  memcpy(self->at, at, 2 * parameters);
  Py_INCREF(self->places = places), Py_INCREF(self->what = what);
  self->value = value;
  self->number = PyLong_FromLong(device);
  self->argument = PyMem_Calloc(count + 1, sizeof(Argument));
  if (!self->number || !self->argument) goto failed;
  for (Py_ssize_t n = 0; n < count; n++) {
    Argument *made = &self->argument[n];
    if (!PyArg_ParseTuple(PyTuple_GetItem(arguments, n), "CiiiLOOO", &made->code, &made->place, &made->written, &made->low,
                          &made->size, &made->class, &made->spec, &made->known))
      goto failed;
    if (made->code != 'c' && (made->place < 0 || made->place >= parameters)) {
      PyErr_SetString(PyExc_ValueError, "an argument has no place");
      goto failed;
    }
    Py_INCREF(made->class), Py_INCREF(made->spec), Py_INCREF(made->known);
    self->arguments = (int)n + 1;
  }
  return (PyObject *)self;
failed:
  Py_DECREF(self);
  return NULL;
}

static PyMethodDef methods[] = {
  {"values", (PyCFunction)(void (*)(void))values, METH_FASTCALL, 
   "values(handle, *values): whether it launched, on a stream, with addresses and scalars that were leased."},
  {"read", (PyCFunction)(void (*)(void))read_, METH_FASTCALL, 
   "read(arguments, execution): launches on tensors of Freehold, and returns the stream; None if it did not."},
  {"run", (PyCFunction)(void (*)(void))run, METH_FASTCALL, 
   "run(launch, execution, arguments=the launch's): does what `Launch.enqueue` does, and returns its value; or nothing."},
  {0},
};
static PyType_Slot launcher_slots[] = {
  {Py_tp_doc, (void *)launcher_doc}, {Py_tp_new, make}, {Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {0},
};
static PyType_Spec launcher_spec = {
  "freehold.runtime._native.Launcher", sizeof(Launcher), 0, Py_TPFLAGS_DEFAULT, launcher_slots,
};

static PyObject *partitions(PyObject *module, PyObject *args);
static PyObject *chains(PyObject *module, PyObject *instance);
static PyMethodDef functions[] = {
  {"learn", learn, METH_VARARGS, "learn(instances, acquire, release, remember, undone): finds where the slots of such objects lie, one of each class."},
  {"partitions", partitions, METH_VARARGS, "partitions(instance, kinds, specs, cut, doc): what `partition` knows."},
  {"partition", (PyCFunction)(void (*)(void))partition, METH_FASTCALL | METH_KEYWORDS, NULL},
  {"chains", chains, METH_O, "chains(instance): finds out about their class, and returns `chain`."},
  {"chain", (PyCFunction)(void (*)(void))chain, METH_FASTCALL, "chain(source, function, nests): a `Chain` of these."},
  {0},
};

static PyObject *chains(PyObject *module, PyObject *instance) {
  return know(CHAIN, instance) ? PyObject_GetAttrString(module, "chain") : NULL;
}

static PyObject *partitions(PyObject *module, PyObject *args) {
  PyObject *instance, *by_class, *by_tile, *otherwise;
  const char *doc;
  if (!PyArg_ParseTuple(args, "OO!O!Os", &instance, &PyDict_Type, &by_class, &PyDict_Type, &by_tile, &otherwise, &doc)) return NULL;
  if (!know(PARTITION, instance)) return NULL;
  kinds = by_class, specs = by_tile, cut = otherwise, functions[2].ml_doc = doc;
  Py_INCREF(args); /* with all that is in it, for good */
  return PyObject_GetAttrString(module, "partition");
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", "Plain launches, without Python.", -1, functions};

PyMODINIT_FUNC PyInit__native(void) {
  PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&launcher_spec), *base = PyType_FromSpec(&caller_spec);
  plain = PyUnicode_InternFromString("_plain"), lasti = PyUnicode_InternFromString("f_lasti");
  call = PyUnicode_InternFromString("_called");
  if (!module || !type || !base || PyModule_AddObjectRef(module, "Launcher", type) || !plain || !lasti || !call) return NULL;
  PyObject *drop = PyType_FromSpec(&dropped_spec);
  if (!drop || PyModule_AddObjectRef(module, "Caller", base) || PyModule_AddObjectRef(module, "Dropped", drop)) return NULL;
  Py_DECREF(type), Py_DECREF(base), Py_DECREF(drop);
  return module;
}
