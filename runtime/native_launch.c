/*
 * Launchers: plain launches of one plan.
 *
 * A launcher knows one plan: a kernel, its grid, what its arguments have to look like. It launches where everything is
 * as it knows it. No Python runs between looking and leasing. The interpreter's lock is given up while the driver works.
 */
#include "native.h"
#include <math.h>
#include <string.h>
#include <time.h>

enum { MOST = 64 }; /* arguments, and parameters, of a kernel */

typedef int (*LaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
typedef int (*CurrentDevice)(int *);

static const char launcher_doc[] =
  "Launcher(launch, current, kernel, blocks, device, memory, offsets, arguments, places, what, value, lock, site): one plan's launches.\n\n"
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
  PyObject *seen;    /* an array: its address, as it was last */
  uint64_t address;  /* the same */
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
  PyObject *lock;        /* the device's */
  PyObject *site;        /* where launches are described, as a trace has it; None where each says so */
  int apart;             /* whether arrays at the addresses that were seen last lie apart */
  PyObject *place;       /* where the last launch ran */
  uint64_t stream;       /* the handle of its stream */
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

static _Thread_local int entered; /* whether this thread has a context: to launch without one is an error, which tools report */

static PyObject *enter_thread(PyObject *module, PyObject *unused) {
  entered = 1;
  Py_RETURN_NONE;
}

/* Whether the driver took it. Without the interpreter's lock. */
static int enqueued(const Launcher *self, void *stream, uint64_t *memory) {
  if (!entered) return 0;
  void *parameters[MOST];
  for (int n = 0; n < self->parameters; n++) parameters[n] = (char *)memory + self->at[n];
  PyThreadState *state = PyEval_SaveThread();
  int device = self->device;
  int error = self->current ? self->current(&device) || device != self->device : 0;
  if (!error) error = self->launch(self->kernel, self->blocks, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
  PyEval_RestoreThread(state);
  return !error;
}

/* Packs a stream, addresses and scalars. Whether all is as it should be; no exception is set. */
static int packed(const Launcher *self, PyObject *const *given, Py_ssize_t count, uint64_t *stream, uint64_t *memory) {
  memcpy(memory, self->memory, sizeof(uint64_t) * self->parameters);
  Py_ssize_t next = 0;
  int good = count > 0 && pack('P', given[next++], stream);
  for (int n = 0; good && n < self->arguments; n++)
    if (self->argument[n].code != 'c')
      good = next < count && pack(self->argument[n].code, given[next++], &memory[self->argument[n].place]);
  good = good && next == count && apart(self, memory);
  PyErr_Clear();
  return good;
}

static PyObject *values(Launcher *self, PyObject *const *given, Py_ssize_t count) {
  uint64_t memory[MOST], stream = 0;
  int good = packed(self, given, count, &stream, memory);
  return PyBool_FromLong(good && enqueued(self, (void *)(uintptr_t)stream, memory));
}

/* The next tick of a timeline, with a reference; NULL where there is none. */
static PyObject *next_tick(PyObject *user) {
  PyObject *now = SLOT(user, TIMELINE_NOW);
  return now && PyLong_CheckExact(now) ? PyLong_FromLongLong(PyLong_AsLongLong(now) + 1) : NULL;
}

/* Leaves a trace in a timeline. Whether that went well. */
static int traced(PyObject *user, PyObject *what, PyObject *code, PyObject *instruction) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  PyObject *when = PyLong_FromLongLong(time.tv_sec * 1000000000LL + time.tv_nsec), *now = SLOT(user, TIMELINE_NOW);
  Py_XINCREF(now); /* another launch may replace it */
  PyObject *trace = when && now ? PyTuple_Pack(5, now, when, what, code, instruction) : NULL;
  PyObject *noted = trace ? PyObject_CallFunctionObjArgs(SLOT(user, TIMELINE_REMEMBER), trace, NULL) : NULL;
  Py_XDECREF(now), Py_XDECREF(when), Py_XDECREF(trace), Py_XDECREF(noted);
  return noted != NULL;
}

static int same_number(PyObject *one, PyObject *other) {
  if (one == other) return one != NULL;
  return one && other && PyLong_AsLongLong(one) == PyLong_AsLongLong(other);
}

/* Whether a timeline alone uses all of these tensors, which are what they were when their handles were made. */
static int sole(PyObject *tensors, PyObject *user) {
  for (Py_ssize_t n = 0; n < PyTuple_Size(tensors); n++) {
    PyObject *tensor = PyTuple_GetItem(tensors, n);
    if (CLASS(tensor) != classes[TENSOR]) return 0;
    PyObject *space = SLOT(tensor, TENSOR_SPACE), *storage = SLOT(tensor, TENSOR_STORAGE);
    if (!space || CLASS(space) != classes[SPACE] || SLOT(space, SPACE_SOLE) != user) return 0;
    if (!storage || CLASS(storage) != classes[STORAGE]) return 0;
    if (!same_number(SLOT(tensor, TENSOR_EPOCH), SLOT(storage, STORAGE_EPOCH))) return 0;
  }
  return 1;
}

static void wrote(PyObject *space, PyObject *tick) {
  Py_INCREF(tick);
  put(space, SPACE_WROTE, tick);
}

static PyObject *alone(Launcher *self, PyObject *const *given, Py_ssize_t count) {
  uint64_t memory[MOST], stream = 0;
  if (count < 4 || CLASS(given[0]) != classes[TIMELINE] || CLASS(given[1]) != classes[SPACE]) Py_RETURN_FALSE;
  PyObject *user = given[0], *reads = given[2], *writes = given[3], *tick = NULL;
  if (!PyTuple_CheckExact(reads) || !PyTuple_CheckExact(writes)) Py_RETURN_FALSE;
  if (!packed(self, given + 4, count - 4, &stream, memory)) Py_RETURN_FALSE;
  lock_hold(self->lock);
  int free = SLOT(given[1], SPACE_SOLE) == user && SLOT(user, TIMELINE_EAGER) == Py_False;
  if (free && sole(reads, user) && sole(writes, user)) tick = next_tick(user);
  if (tick) {
    wrote(given[1], tick);
    for (Py_ssize_t n = 0; n < PyTuple_Size(writes); n++) wrote(SLOT(PyTuple_GetItem(writes, n), TENSOR_SPACE), tick);
    put(user, TIMELINE_NOW, tick);
  }
  int done = tick && enqueued(self, (void *)(uintptr_t)stream, memory);
  lock_release(self->lock);
  if (done && self->site != Py_None) traced(user, self->what, PyTuple_GetItem(self->site, 0), PyTuple_GetItem(self->site, 1));
  PyErr_Clear();
  return PyBool_FromLong(done);
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

/* Remembers where an array is. Whether that is aligned as it was. */
static int saw(Argument *known, PyObject *address) {
  if (!address || !PyLong_CheckExact(address)) return 0;
  uint64_t pointer = PyLong_AsUnsignedLongLong(address);
  if ((int)(pointer & 15) != known->low || PyErr_Occurred()) return 0;
  PyObject *before = known->seen;
  Py_INCREF(known->seen = address);
  known->address = pointer;
  Py_XDECREF(before);
  return 1;
}

/* Looks at all tensors and, where nobody is in the way, enters the launch in the ledger. Under its lock; runs no Python. */
static int taken(Launcher *self, PyObject *arguments, PyObject *user, uint64_t *memory) {
  PyObject *written[MOST];
  int writes = 0;
  for (int n = 0; n < self->arguments; n++) {
    Argument *known = &self->argument[n];
    if (known->code != 'P') continue;
    PyObject *tensor = tensor_of(known, PyTuple_GetItem(arguments, n));
    if (!tensor) return 0;
    PyObject *address = SLOT(tensor, TENSOR_POINTER), *space = SLOT(tensor, TENSOR_SPACE), *storage = SLOT(tensor, TENSOR_STORAGE);
    if (!space || CLASS(space) != classes[SPACE]) return 0;
    if (!storage || CLASS(storage) != classes[STORAGE] || SLOT(space, SPACE_SOLE) != user) return 0;
    if (!same_number(SLOT(tensor, TENSOR_EPOCH), SLOT(storage, STORAGE_EPOCH))) return 0;
    if (!address || address != known->seen) {
      self->apart = 0;
      if (!saw(known, address)) return 0;
    }
    memory[known->place] = known->address;
    if (known->written) written[writes++] = space;
  }
  if (PyErr_Occurred() || !(self->apart || (self->apart = apart(self, memory)))) return 0;
  PyObject *tick = SLOT(user, TIMELINE_EAGER) == Py_False ? next_tick(user) : NULL;
  if (!tick) return 0;
  for (int n = 0; n < writes; n++) {
    Py_INCREF(tick);
    put(written[n], SPACE_WROTE, tick);
  }
  put(user, TIMELINE_NOW, tick);
  return 1;
}

/* Whether it launched. */
static int launched(Launcher *self, PyObject *arguments, PyObject *place) {
  uint64_t memory[MOST];
  memcpy(memory, self->memory, sizeof(uint64_t) * self->parameters);
  if (place != self->place) {
    uint64_t handle;
    if (!pack('P', PyTuple_GetItem(place, 1), &handle)) return 0;
    PyObject *before = self->place;
    Py_INCREF(self->place = place), self->stream = handle;
    Py_XDECREF(before);
  }
  uint64_t stream = self->stream; /* another thread may change it while this one packs, or waits */
  for (int n = 0; n < self->arguments; n++) {
    const Argument *known = &self->argument[n];
    if (known->code == 'P') continue; /* once the lock is held */
    PyObject *given = PyTuple_GetItem(arguments, n);
    if (CLASS(given) != known->class) return 0;
    if (known->code == 'c' ? given != known->known : !pack(known->code, given, &memory[known->place])) return 0;
  }
  lock_hold(self->lock);
  int done = taken(self, arguments, PyTuple_GetItem(place, 2), memory);
  if (!done) PyErr_Clear();
  done = done && enqueued(self, (void *)(uintptr_t)stream, memory);
  lock_release(self->lock);
  return done;
}

/* The timeline that it launched on, with a reference; NULL where it did not. */
static PyObject *user_of(Launcher *self, PyObject *arguments, PyObject *execution) {
  if (!arguments || !PyTuple_CheckExact(arguments) || PyTuple_Size(arguments) != self->arguments) return NULL;
  PyObject *user = NULL, *place = place_of(self, execution);
  int done = place ? launched(self, arguments, place) : 0;
  if (done) Py_INCREF(user = PyTuple_GetItem(place, 2));
  Py_XDECREF(place);
  if (!done) PyErr_Clear();
  return user;
}

static PyObject *read_(Launcher *self, PyObject *const *given, Py_ssize_t count) {
  if (count != 2) return PyErr_Format(PyExc_TypeError, "read takes 2 arguments, not %zd", count);
  PyObject *user = user_of(self, given[0], given[1]);
  if (user) return user;
  Py_RETURN_NONE;
}

/* A launch's value, once it is enqueued and its trace is left. Takes over the reference to its timeline. */
static PyObject *done(Launcher *self, PyObject *launch, PyObject *arguments, PyObject *user) {
  PyObject *value = PyTuple_GetItem(arguments, self->value);
  if (self->argument[self->value].spec != Py_None) value = SLOT(value, PARTITION_ARRAY);
  Py_XINCREF(value);
  if (!traced(user, self->what, SLOT(launch, LAUNCH_CODE), SLOT(launch, LAUNCH_INSTRUCTION))) Py_CLEAR(value);
  Py_DECREF(user);
  return value;
}

/* As `plainly`; `given` are the launch's own arguments unless NULL. */
static PyObject *run(Launcher *self, PyObject *launch, PyObject *execution, PyObject *given) {
  if (self->value < 0 || CLASS(launch) != classes[LAUNCH]) return NULL;
  PyObject *arguments = given ? given : SLOT(launch, LAUNCH_ARGUMENTS), *value = NULL;
  Py_XINCREF(arguments);
  if (!given) Py_INCREF(Py_None), put(launch, LAUNCH_ARGUMENTS, Py_None); /* no other thread runs it */
  PyObject *user = user_of(self, arguments, execution);
  if (user) value = done(self, launch, arguments, user);
  else if (!given) Py_XINCREF(arguments), put(launch, LAUNCH_ARGUMENTS, arguments);
  Py_XDECREF(arguments);
  return value;
}

static PyObject *run_(Launcher *self, PyObject *const *given, Py_ssize_t count) {
  if (count != 2 && count != 3) return PyErr_Format(PyExc_TypeError, "run takes 2 or 3 arguments, not %zd", count);
  PyObject *value = run(self, given[0], given[1], count == 3 ? given[2] : NULL);
  if (!value && !PyErr_Occurred()) Py_INCREF(value = undone);
  return value;
}

PyObject *plainly(PyObject *plain, PyObject *launch, PyObject *execution, PyObject *arguments) {
  if (!plain || CLASS(plain) != (PyObject *)&PyCFunction_Type) return NULL;
  if (PyCFunction_GetFunction(plain) != (PyCFunction)(void (*)(void))run_) return NULL;
  Py_INCREF(plain); /* another thread may find a better one */
  PyObject *value = run((Launcher *)PyCFunction_GetSelf(plain), launch, execution, arguments);
  Py_DECREF(plain);
  return value;
}

static void dealloc(Launcher *self) {
  PyObject *type = CLASS(self);
  for (int n = 0; n < self->arguments; n++) {
    Py_XDECREF(self->argument[n].class), Py_XDECREF(self->argument[n].spec), Py_XDECREF(self->argument[n].known);
    Py_XDECREF(self->argument[n].seen);
  }
  Py_XDECREF(self->number), Py_XDECREF(self->places), Py_XDECREF(self->what), Py_XDECREF(self->lock), Py_XDECREF(self->site);
  Py_XDECREF(self->place);
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
  PyObject *arguments, *places, *what, *lock, *site;
  int value;
  if (!PyArg_ParseTuple(args, "KKKIiy#y#O!O!OiO!O", &launch, &current, &kernel, &blocks, &device, &memory, &bytes, &at,
                        &parameters, &PyTuple_Type, &arguments, &PyDict_Type, &places, &what, &value, lock_class, &lock, &site))
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
  Py_INCREF(self->places = places), Py_INCREF(self->what = what), Py_INCREF(self->lock = lock), Py_INCREF(self->site = site);
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
  {"alone", (PyCFunction)(void (*)(void))alone, METH_FASTCALL,
   "alone(user, space, reads, writes, handle, *values): as `values`, and enters the launch in the timeline, if the space and\n"
   "these tensors are its alone."},
  {"read", (PyCFunction)(void (*)(void))read_, METH_FASTCALL,
   "read(arguments, execution): launches on tensors of Freehold, and returns the timeline; None if it did not."},
  {"run", (PyCFunction)(void (*)(void))run_, METH_FASTCALL,
   "run(launch, execution, arguments=the launch's): does what `Launch.enqueue` does, and returns its value; or nothing."},
  {0},
};
static PyType_Slot launcher_slots[] = {
  {Py_tp_doc, (void *)launcher_doc}, {Py_tp_new, make}, {Py_tp_dealloc, dealloc}, {Py_tp_methods, methods}, {0},
};
static PyType_Spec launcher_spec = {
  "freehold.runtime._native.Launcher", sizeof(Launcher), 0, Py_TPFLAGS_DEFAULT, launcher_slots,
};

static PyMethodDef functions[] = {
  {"enter_thread", enter_thread, METH_NOARGS, "Says that the calling thread has a context of the driver."},
  {0},
};

int add_launchers(PyObject *module) {
  return !PyModule_AddFunctions(module, functions) && add_type(module, "Launcher", &launcher_spec);
}
