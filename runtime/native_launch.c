/*
 * Launchers: what looks at the arguments of a launch, leases what it uses, and enqueues it.
 *
 * A launcher is one kernel's. It makes a key of what the arguments look like (`native_read.c`), and knows plans by their
 * keys: a kernel as it is loaded, its grid, and what is known of its parameters. No Python runs between looking and leasing,
 * unless arrays are used by several streams (`ledger.lease`), or the plan asks for more than packing (`Plan.enqueue`). A
 * bound launch is the same with parameters that are packed already: it looks only whether arrays are where they were. The
 * interpreter's lock is given up while the driver works. What is unusual is left to Python, which finds out what it is.
 */
#include "native_launch.h"
#include <string.h>

PyTypeObject *entry_type, *launcher_type;
static PyObject *lease, *outside, *timeline, *wrong, *let_go, *constant, *changed; /* of Python; `wrong` are exceptions that it finds the cause of */
static PyObject *n_place, *n_borrow, *n_enqueued, *n_tell;
static int most_kept; /* things for a timeline before it is asked how far it is */

int apart(const Entry *entry, const uint64_t *memory) {
  for (int n = 0; n < entry->values; n++) {
    const Value *one = &entry->value[n];
    if (one->code != 'P') continue;
    for (int m = 0; m < n; m++) {
      const Value *other = &entry->value[m];
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
static int taken(const Entry *entry, void *stream, uint64_t *memory) {
  if (!entered) return 0;
  void *parameters[MOST];
  for (int n = 0; n < entry->parameters; n++) parameters[n] = (char *)memory + entry->at[n];
  PyThreadState *state = PyEval_SaveThread();
  int device = entry->device;
  int error = entry->current ? entry->current(&device) || device != entry->device : 0;
  const unsigned *s = entry->shape;
  if (!error) error = entry->launch(entry->kernel, s[0], s[1], s[2], s[3], s[4], s[5], s[6], stream, parameters, NULL);
  PyEval_RestoreThread(state);
  return !error;
}

/* Whether a graph may be captured on a stream, and the launch is another one then, which Python makes. */
static int recorded(const Entry *entry, uint64_t handle) {
  int status = 0;
  return entry->capturing && handle > 1 && (!entered || entry->capturing((void *)(uintptr_t)handle, &status) || status);
}

/* The next tick of a timeline, with a reference; NULL where there is none. */
static PyObject *next_tick(PyObject *user) {
  PyObject *now = SLOT(user, TIMELINE_NOW);
  return now && PyLong_CheckExact(now) ? PyLong_FromLongLong(PyLong_AsLongLong(now) + 1) : NULL;
}

static int same_number(PyObject *one, PyObject *other) {
  if (one == other) return one != NULL;
  return one && other && PyLong_AsLongLong(one) == PyLong_AsLongLong(other);
}

static void wrote(PyObject *space, PyObject *tick) {
  Py_INCREF(tick);
  put(space, SPACE_WROTE, tick);
}

/* --- Looking --------------------------------------------------------------------------------------------------------- */

/* Puts a compile-time argument into the key: integers as they are, others by a number that Python gives to equal ones. */
static int add_constant(PyObject *value, Key *key) {
  if (value == Py_None || PyBool_Check(value)) return add_object(key, value);
  if (!add_object(key, CLASS(value))) return 0;
  PyObject *number = PyLong_CheckExact(value) ? value : PyObject_CallFunctionObjArgs(constant, value, NULL);
  int overflow = 0;
  long long word = number ? PyLong_AsLongLongAndOverflow(number, &overflow) : -1;
  if (number && number != value) Py_DECREF(number);
  return !overflow && !PyErr_Occurred() && add_word(key, (uint64_t)word);
}

/* Looks at all arguments; 0 where any of them is unusual. No exception is set. */
static int look(const Launcher *self, PyObject *arguments, Key *key, Arrays *arrays) {
  if (!arguments || !PyTuple_CheckExact(arguments) || PyTuple_Size(arguments) != self->arguments) return 0;
  int good = 1;
  for (int n = 0; good && n < self->arguments; n++) {
    PyObject *given = PyTuple_GetItem(arguments, n);
    good = self->mode[n] == 't' ? read_array(given, n, WHOLE, key, arrays)
         : self->mode[n] == 's' ? add_object(key, CLASS(given)) : add_constant(given, key);
  }
  if (PyErr_Occurred()) PyErr_Clear(), good = 0;
  return good;
}

/* The plan for what looks like this, with a reference; NULL where there is none. */
static Entry *entry_of(Launcher *self, const Key *key) {
  Py_ssize_t size = (Py_ssize_t)sizeof(uint64_t) * key->count;
  if (self->recent && PyBytes_Size(self->recent) == size && !memcmp(PyBytes_AsString(self->recent), key->word, size))
    return (Entry *)Py_NewRef((PyObject *)self->last);
  PyObject *bytes = PyBytes_FromStringAndSize((const char *)key->word, size);
  PyObject *found = bytes ? PyDict_GetItemWithError(self->entries, bytes) : NULL, *before = self->recent, *last = (PyObject *)self->last;
  PyErr_Clear();
  if (!found) return Py_XDECREF(bytes), NULL;
  Py_INCREF(found), Py_INCREF(found);
  self->recent = bytes, self->last = (Entry *)found;
  Py_XDECREF(before), Py_XDECREF(last);
  return (Entry *)found;
}

/* Packs scalars and addresses; 0 where something does not fit. */
static int packed(const Launcher *self, const Entry *entry, PyObject *arguments, const Arrays *arrays, uint64_t *memory) {
  memcpy(memory, entry->memory, sizeof(uint64_t) * entry->parameters);
  int value = 0, array = 0;
  for (int n = 0; n < self->arguments; n++) {
    if (self->mode[n] == 'c') continue;
    const Value *known = &entry->value[value++];
    if (self->mode[n] == 't') memory[known->place] = arrays->array[array++].pointer;
    else if (!pack_scalar(known->code, PyTuple_GetItem(arguments, n), &memory[known->place])) return 0;
  }
  return 1;
}

/* --- Where ----------------------------------------------------------------------------------------------------------- */

/* The timeline of a stream, with a reference. */
static PyObject *timeline_of(const Entry *entry, uint64_t handle) {
  PyObject *number = PyLong_FromUnsignedLongLong(handle), *found = number ? PyDict_GetItemWithError(entry->timelines, number) : NULL;
  if (found) Py_INCREF(found);
  else if (number && !PyErr_Occurred()) found = PyObject_CallFunctionObjArgs(timeline, entry->number, number, NULL);
  Py_XDECREF(number);
  if (found && CLASS(found) != classes[TIMELINE]) Py_CLEAR(found);
  return found;
}

static int same_stream(uint64_t one, uint64_t other) { return one == other || (one <= 1 && other <= 1); }

/*
 * The streams of others that a launch has to be in order with: those of the libraries of its arrays, the default one for
 * arrays that only describe themselves, and what their descriptions name. -1 with an exception, or how many there are.
 */
static int streams_of(const Entry *entry, const Arrays *arrays, uint64_t *found) {
  int count = 0;
  for (int family = TORCH; family <= CUPY; family *= 2)
    if (arrays->families & family && !current_stream(family, entry->device, &found[count++])) return -1;
  if (arrays->families & FOREIGN) found[count++] = 0;
  for (int n = 0; n < arrays->count; n++)
    if (arrays->array[n].stream) found[count++] = arrays->array[n].stream;
  return count;
}

PyObject *place_of(const Entry *entry, PyObject *execution, const Arrays *arrays, uint64_t *handle) {
  uint64_t theirs[MOST + 3];
  int count = streams_of(entry, arrays, theirs);
  if (count < 0) return NULL;
  if (execution == Py_None) {
    *handle = arrays->families & (TORCH | CUPY) ? theirs[0] : 0;
    for (int n = 0; n < count; n++)
      if (!same_stream(theirs[n], *handle)) return NULL;
    return timeline_of(entry, *handle);
  }
  if (CLASS(execution) != classes[EXECUTION] || SLOT(execution, EXECUTION_RECORDING) != Py_None) return NULL;
  PyObject *places = SLOT(execution, EXECUTION_PLACES), *user = NULL;
  PyObject *place = places && PyDict_Check(places) ? PyDict_GetItemWithError(places, entry->number) : NULL;
  Py_XINCREF(place);
  if (!place && !PyErr_Occurred())
    place = PyObject_CallMethodObjArgs(execution, n_place, entry->number, entry->family, arrays->count ? arrays->array[0].array : Py_None, NULL);
  if (!place || !PyTuple_CheckExact(place) || PyTuple_Size(place) != 3) return Py_XDECREF(place), NULL;
  *handle = PyLong_AsUnsignedLongLong(PyTuple_GetItem(place, 1));
  int good = !PyErr_Occurred() && CLASS(PyTuple_GetItem(place, 2)) == classes[TIMELINE];
  for (int n = 0; good && n < count; n++) {
    if (same_stream(theirs[n], *handle)) continue;
    PyObject *number = PyLong_FromUnsignedLongLong(theirs[n]);
    PyObject *done = number ? PyObject_CallMethodObjArgs(execution, n_borrow, number, entry->number, NULL) : NULL;
    good = done != NULL;
    Py_XDECREF(number), Py_XDECREF(done);
  }
  if (good) Py_INCREF(user = PyTuple_GetItem(place, 2));
  Py_DECREF(place);
  return user;
}

/* --- Leasing --------------------------------------------------------------------------------------------------------- */

const Value *value_of(const Entry *entry, int array) {
  for (int n = 0; n < entry->values; n++)
    if (entry->value[n].size && !array--) return &entry->value[n];
  return NULL;
}

/* Whether a timeline alone uses an array's memory, and the array may be used. Runs no Python. */
static int sole(const Entry *entry, const Array *array, PyObject *user) {
  if (array->family != OWN) return SLOT(entry->outside, SPACE_SOLE) == user;
  PyObject *space = SLOT(array->array, TENSOR_SPACE), *storage = SLOT(array->array, TENSOR_STORAGE);
  if (!space || CLASS(space) != classes[SPACE] || SLOT(space, SPACE_SOLE) != user) return 0;
  if (!storage || CLASS(storage) != classes[STORAGE]) return 0;
  return same_number(SLOT(array->array, TENSOR_EPOCH), SLOT(storage, STORAGE_EPOCH));
}

/* As `ledger.lease`, which it calls where several timelines use the arrays. Under the lock. 0 with an exception, or without. */
static int leased(const Entry *entry, const Arrays *arrays, PyObject *user) {
  int alone = 1;
  for (int n = 0; alone && n < arrays->count; n++) alone = sole(entry, &arrays->array[n], user);
  if (alone) {
    PyObject *tick = next_tick(user);
    if (!tick) return 0;
    if (arrays->families & ~OWN) wrote(entry->outside, tick);
    for (int n = 0; n < arrays->count; n++)
      if (arrays->array[n].family == OWN && value_of(entry, n)->written) wrote(SLOT(arrays->array[n].array, TENSOR_SPACE), tick);
    put(user, TIMELINE_NOW, tick);
    return 1;
  }
  PyObject *lists[2] = {PyList_New(0), PyList_New(0)}, *done = NULL;
  int good = lists[0] && lists[1];
  for (int n = 0; good && n < arrays->count; n++) {
    const Array *array = &arrays->array[n];
    const Value *value = value_of(entry, n);
    unsigned long long low = array->pointer, high = low + (unsigned long long)value->size;
    PyObject *one = array->family == OWN ? (Py_INCREF(array->array), array->array) : PyObject_CallFunction(outside, "OKK", entry->number, low, high);
    good = one && !PyList_Append(lists[value->written], one);
    Py_XDECREF(one);
  }
  if (good) done = PyObject_CallFunctionObjArgs(lease, user, lists[0], lists[1], NULL);
  Py_XDECREF(lists[0]), Py_XDECREF(lists[1]), Py_XDECREF(done);
  return done != NULL;
}

/* Has Python check and pack and enqueue a launch that was leased; 0 with an exception. */
static int enqueued(const Launcher *self, const Entry *entry, PyObject *arguments, const Arrays *arrays, uint64_t handle) {
  PyObject *given = PyTuple_New(entry->values + 1), *done = NULL;
  if (!given) return 0;
  PyTuple_SetItem(given, 0, PyLong_FromUnsignedLongLong(handle));
  for (int n = 0, next = 1, array = 0; n < self->arguments; n++) {
    if (self->mode[n] == 'c') continue;
    PyObject *value = PyTuple_GetItem(arguments, n);
    if (self->mode[n] == 't') value = PyLong_FromUnsignedLongLong(arrays->array[array++].pointer);
    else Py_INCREF(value);
    PyTuple_SetItem(given, next++, value);
  }
  if (!PyErr_Occurred()) done = PyObject_CallObject(entry->enqueue, given);
  Py_DECREF(given), Py_XDECREF(done);
  return done != NULL;
}

/* Forgets an exception of which Python finds the cause; others stay. */
static PyObject *forgiven(PyObject *user) {
  if (PyErr_Occurred() && PyErr_ExceptionMatches(wrong)) PyErr_Clear();
  Py_DECREF(user);
  return NULL;
}

PyObject *fired(const Launcher *self, const Entry *entry, PyObject *arguments, const Arrays *arrays, PyObject *user, uint64_t handle,
                uint64_t *memory) {
  int owned = arrays->families & FOREIGN, tells = SLOT(user, TIMELINE_EAGER) != Py_False, done = 0, more = 0;
  PyObject *told = NULL;
  lock_hold(entry->lock);
  /* What is kept is kept before it is enqueued: an exception of a signal may come between. */
  if (leased(entry, arrays, user) && (!owned || (more = keep_owners(arrays, user)) >= 0)) {
    if (memory && !recorded(entry, handle)) done = entered && made_room(entry, handle, memory) && taken(entry, (void *)(uintptr_t)handle, memory);
    else done = enqueued(self, entry, arguments, arrays, handle);
    tells |= more && !(PyObject_Size(SLOT(user, TIMELINE_KEPT)) % most_kept);
    if (done && tells) told = PyObject_CallMethodObjArgs(user, n_enqueued, NULL);
  }
  lock_release(entry->lock);
  if (!done) return forgiven(user);
  if (tells && told) { /* what was kept for earlier work may be dropped now */
    Py_DECREF(told);
    told = PyObject_CallNoArgs(let_go);
  }
  Py_XDECREF(told);
  if (tells && !told) Py_CLEAR(user); /* it was launched, so nobody may do it again */
  return user;
}

/* --- Launching ------------------------------------------------------------------------------------------------------- */

int interpreted(const Launcher *self) {
  if (self->asks == Py_None) return 0;
  PyObject *mode = PyObject_CallNoArgs(self->asks);
  Py_XDECREF(mode);
  return mode != Py_None;
}

/* The timeline that it launched on, with a reference; NULL where it did not, or with an exception that is no argument's. */
static PyObject *launched(Launcher *self, PyObject *arguments, PyObject *execution, int *families) {
  if (interpreted(self)) return NULL;
  Arrays arrays;
  Key key;
  arrays.count = arrays.families = 0, key.count = 0, key.kept = NULL;
  uint64_t memory[MOST], handle = 0;
  Entry *entry = look(self, arguments, &key, &arrays) ? entry_of(self, &key) : NULL;
  PyObject *user = NULL;
  int plain = entry && entry->plain && packed(self, entry, arguments, &arrays, memory) && apart(entry, memory);
  PyErr_Clear();
  if (entry) user = place_of(entry, execution, &arrays, &handle);
  if (user) user = fired(self, entry, arguments, &arrays, user, handle, plain ? memory : NULL);
  Py_XDECREF((PyObject *)entry);
  *families = arrays.families;
  close_arrays(&arrays);
  return user;
}

PyObject *told(PyObject *value, int families) {
  PyObject *done = families & TORCH && !torch_told(value) ? PyObject_CallFunctionObjArgs(changed, value, NULL) : Py_NewRef(Py_None);
  if (!done) Py_CLEAR(value);
  Py_XDECREF(done);
  return value;
}

static PyObject *read_(Launcher *self, PyObject *const *given, Py_ssize_t count) {
  if (count != 2) return PyErr_Format(PyExc_TypeError, "read takes 2 arguments, not %zd", count);
  int families;
  PyObject *user = launched(self, given[0], given[1], &families);
  if (user || PyErr_Occurred()) return user;
  Py_RETURN_NONE;
}

/* The array of an argument. Borrowed. */
static PyObject *array_of(const Launcher *self, PyObject *arguments, int output) {
  PyObject *given = PyTuple_GetItem(arguments, self->output[output]);
  return is_partition(given) ? SLOT(given, PARTITION_ARRAY) : given;
}

/* A launch's value, as its arguments have it. */
static PyObject *outcome(const Launcher *self, PyObject *arguments) {
  PyObject *value = self->outputs == 1 ? array_of(self, arguments, 0) : PyTuple_New(self->outputs);
  if (self->outputs == 1) Py_XINCREF(value);
  for (int n = 0; value && self->outputs != 1 && n < self->outputs; n++) {
    PyObject *one = array_of(self, arguments, n);
    Py_XINCREF(one), PyTuple_SetItem(value, n, one);
  }
  return value;
}

/* Runs a launch where it is known. Its value, and the timeline and the arguments in `user` and `given`, with references;
 * NULL where nothing was done, or with an exception. */
static PyObject *ran(PyObject *launcher, PyObject *launch, PyObject *execution, PyObject **user, PyObject **given) {
  if (!launcher || Py_TYPE(launcher) != launcher_type || CLASS(launch) != classes[LAUNCH]) return NULL;
  PyObject *arguments = SLOT(launch, LAUNCH_ARGUMENTS), *value = NULL;
  Py_XINCREF(arguments), Py_INCREF(launcher);
  Py_INCREF(Py_None), put(launch, LAUNCH_ARGUMENTS, Py_None); /* no other thread runs it */
  Launcher *self = (Launcher *)launcher;
  int families;
  if ((*user = launched(self, arguments, execution, &families))) {
    value = traced(*user, self->what, launch) ? outcome(self, arguments) : NULL;
    if (value) value = told(value, families);
    if (!value) Py_CLEAR(*user);
  } else if (!PyErr_Occurred()) {
    Py_XINCREF(arguments), put(launch, LAUNCH_ARGUMENTS, arguments);
  }
  if (value) *given = Py_NewRef(arguments);
  Py_XDECREF(arguments), Py_DECREF(launcher);
  return value;
}

PyObject *plainly(PyObject *launcher, PyObject *launch, PyObject *execution) {
  PyObject *user, *arguments, *value = ran(launcher, launch, execution, &user, &arguments);
  if (value) Py_DECREF(user), Py_DECREF(arguments);
  return value;
}

static PyObject *python_on, *lists; /* the method that does what is unusual; a tuple of lists, and if any has something in it, `tell` is called */

static PyObject *on(PyObject *launch, PyObject *const *given, Py_ssize_t count, PyObject *names) {
  PyObject *dispatcher = count || names || CLASS(launch) != classes[LAUNCH] ? NULL : SLOT(launch, LAUNCH_DISPATCHER), *user, *arguments;
  if (dispatcher && CLASS(dispatcher) != classes[DISPATCHER]) dispatcher = NULL;
  PyObject *value = dispatcher ? ran(SLOT(dispatcher, DISPATCHER_LAUNCHER), launch, Py_None, &user, &arguments) : NULL;
  if (!value) return PyErr_Occurred() ? NULL : otherwise(python_on, launch, given, count, names);
  PyObject *flight = NULL, *told = Py_NewRef(Py_None), *users = PyTuple_Pack(1, user);
  for (Py_ssize_t n = 0; n < PyTuple_Size(lists); n++)
    if (PyList_Size(PyTuple_GetItem(lists, n))) {
      Py_DECREF(told), told = PyObject_CallMethodObjArgs(launch, n_tell, arguments, user, NULL);
      break;
    }
  if (told && users && (flight = PyType_GenericAlloc((PyTypeObject *)classes[IN_FLIGHT], 0))) {
    SLOT(flight, IN_FLIGHT_VALUE) = Py_NewRef(value), SLOT(flight, IN_FLIGHT_TIMELINES) = Py_NewRef(users);
    SLOT(flight, IN_FLIGHT_OPERATION) = Py_NewRef(launch), SLOT(flight, IN_FLIGHT_KEPT) = Py_NewRef(arguments);
    SLOT(flight, IN_FLIGHT_TICKS) = PyTuple_New(0);
  }
  Py_DECREF(value), Py_DECREF(user), Py_DECREF(arguments), Py_XDECREF(told), Py_XDECREF(users);
  return flight;
}

static PyMethodDef on_definition = {"on", (PyCFunction)(void (*)(void))on, METH_FASTCALL | METH_KEYWORDS, NULL};

static PyObject *launches_on(PyObject *module, PyObject *args) {
  PyObject *launch;
  if (!PyArg_ParseTuple(args, "O!OsO!", &PyType_Type, &launch, &python_on, &on_definition.ml_doc, &PyTuple_Type, &lists)) return NULL;
  Py_INCREF(args); /* with all that is in it, for good */
  return PyDescr_NewMethod((PyTypeObject *)launch, &on_definition);
}

static PyObject *run_(Launcher *self, PyObject *const *given, Py_ssize_t count) {
  if (count != 2) return PyErr_Format(PyExc_TypeError, "run takes 2 arguments, not %zd", count);
  PyObject *value = plainly((PyObject *)self, given[0], given[1]);
  if (!value && !PyErr_Occurred()) Py_INCREF(value = undone);
  return value;
}

/* Whether what describes itself said of its extents and strides what the plan was made for. */
static int as_planned(const Key *key, const Array *array, PyObject *layout) {
  long long size, low;
  PyObject *shape, *strides;
  if (!PyArg_ParseTuple(layout, "O!O!LL", &PyTuple_Type, &shape, &PyTuple_Type, &strides, &size, &low)) return 0;
  if ((long long)(array->pointer & 15) != low) return 0;
  if (array->family != FOREIGN) return 1;
  if (array->itemsize != size || PyTuple_Size(shape) != array->rank || PyTuple_Size(strides) != array->rank) return 0;
  for (int n = 0; n < 2 * array->rank; n++) {
    PyObject *number = n < array->rank ? PyTuple_GetItem(shape, n) : PyTuple_GetItem(strides, n - array->rank);
    if (PyLong_AsLongLong(number) != (long long)key->word[array->shape + n]) return 0;
  }
  return 1;
}

enum { MOST_ENTRIES = 4096 }; /* plans of a launcher; past that it forgets all and begins anew */

static PyObject *add(Launcher *self, PyObject *const *given, Py_ssize_t count) {
  if (count != 3 || Py_TYPE(given[1]) != entry_type || !PyTuple_CheckExact(given[2]))
    return PyErr_Format(PyExc_TypeError, "add takes arguments, an entry and layouts");
  Arrays arrays;
  Key key;
  arrays.count = arrays.families = 0, key.count = 0, key.kept = PyList_New(0);
  int good = key.kept && look(self, given[0], &key, &arrays) && arrays.count == PyTuple_Size(given[2]);
  for (int n = 0; good && n < arrays.count; n++) good = as_planned(&key, &arrays.array[n], PyTuple_GetItem(given[2], n));
  if (good) {
    Entry *entry = (Entry *)given[1];
    PyObject *before = entry->kept, *bytes = PyBytes_FromStringAndSize((const char *)key.word, (Py_ssize_t)sizeof(uint64_t) * key.count);
    entry->kept = key.kept, key.kept = NULL;
    Py_XDECREF(before);
    if (PyDict_Size(self->entries) >= MOST_ENTRIES) PyDict_Clear(self->entries);
    if (bytes) PyDict_SetItem(self->entries, bytes, given[1]);
    Py_XDECREF(bytes);
  }
  close_arrays(&arrays);
  Py_XDECREF(key.kept);
  if (PyErr_Occurred()) return NULL;
  return PyBool_FromLong(good);
}

Entry *planned(Launcher *self, PyObject *arguments, Entry *known, Arrays *arrays, uint64_t *memory) {
  Key key;
  arrays->count = arrays->families = 0, key.count = 0, key.kept = NULL;
  Entry *entry = !look(self, arguments, &key, arrays) ? NULL : known ? (Entry *)Py_NewRef((PyObject *)known) : entry_of(self, &key);
  if (entry && entry->plain && !packed(self, entry, arguments, arrays, memory)) Py_CLEAR(entry);
  if (!entry) PyErr_Clear(), close_arrays(arrays);
  return entry;
}

static PyObject *knows(Launcher *self, PyObject *arguments) {
  Arrays arrays;
  Key key;
  arrays.count = arrays.families = 0, key.count = 0, key.kept = NULL;
  int good = look(self, arguments, &key, &arrays);
  Entry *entry = good ? entry_of(self, &key) : NULL;
  close_arrays(&arrays);
  Py_XDECREF((PyObject *)entry);
  return PyBool_FromLong(!good || entry);
}

static PyObject *guard(Launcher *self, PyObject *asks) {
  PyObject *before = self->asks;
  Py_INCREF(self->asks = asks);
  Py_DECREF(before);
  Py_RETURN_NONE;
}

/* --- Making ---------------------------------------------------------------------------------------------------------- */

static void free_entry(Entry *self) {
  PyObject *type = CLASS(self);
  Py_XDECREF(self->room), Py_XDECREF(self->enqueue), Py_XDECREF(self->outside), Py_XDECREF(self->timelines), Py_XDECREF(self->lock);
  Py_XDECREF(self->number), Py_XDECREF(self->family), Py_XDECREF(self->kept);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *make_entry(PyTypeObject *type, PyObject *args, PyObject *options) {
  unsigned long long launch, current, capturing, kernel;
  int device, plain, failures;
  const char *memory, *at, *shape;
  Py_ssize_t bytes, parameters, shaped;
  PyObject *values, *room, *enqueue, *space, *timelines, *lock, *family;
  if (!PyArg_ParseTuple(args, "KKKKy#iy#y#O!pOiOOO!O!O", &launch, &current, &capturing, &kernel, &shape, &shaped, &device, &memory, &bytes, &at,
                        &parameters, &PyTuple_Type, &values, &plain, &room, &failures, &enqueue, &space, &PyDict_Type, &timelines, lock_class, &lock, &family))
    return NULL;
  Py_ssize_t count = PyTuple_Size(values);
  parameters /= 2;
  if (shaped != (Py_ssize_t)sizeof(((Entry *)0)->shape)) return PyErr_Format(PyExc_ValueError, "a shape is seven numbers");
  if (count > MOST || bytes > (Py_ssize_t)sizeof(uint64_t) * MOST || parameters > MOST || bytes < 8 * parameters ||
      (room != Py_None && (failures < 0 || failures >= parameters)))
    return PyErr_Format(PyExc_ValueError, "too many arguments");
  Entry *self = (Entry *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  self->launch = (LaunchKernel)(uintptr_t)launch;
  self->current = (CurrentDevice)(uintptr_t)current;
  self->capturing = (IsCapturing)(uintptr_t)capturing;
  self->kernel = (void *)(uintptr_t)kernel;
  memcpy(self->shape, shape, sizeof self->shape);
  self->device = device, self->parameters = (int)parameters, self->plain = plain, self->values = (int)count;
  memcpy(self->memory, memory, bytes);
  memcpy(self->at, at, 2 * parameters);
  Py_INCREF(self->room = room), self->failures = failures;
  Py_INCREF(self->enqueue = enqueue), Py_INCREF(self->outside = space), Py_INCREF(self->lock = lock);
  Py_INCREF(self->timelines = timelines), Py_INCREF(self->family = family);
  self->number = PyLong_FromLong(device);
  for (int n = 0; n < count; n++) {
    Value *made = &self->value[n];
    if (!PyArg_ParseTuple(PyTuple_GetItem(values, n), "CiiL", &made->code, &made->place, &made->written, &made->size)) goto failed;
    if (made->place >= 0 && made->place < parameters) continue;
    if (plain) {
      PyErr_SetString(PyExc_ValueError, "an argument has no place");
      goto failed;
    }
  }
  if (self->number && CLASS(space) == classes[SPACE]) return (PyObject *)self;
failed:
  Py_DECREF(self);
  return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "a space is wanted");
}

static PyType_Slot entry_slots[] = {{Py_tp_new, make_entry}, {Py_tp_dealloc, free_entry}, {0}};
static PyType_Spec entry_spec = {"freehold.runtime._native.Entry", sizeof(Entry), 0, Py_TPFLAGS_DEFAULT, entry_slots};

static void free_launcher(Launcher *self) {
  PyObject *type = CLASS(self);
  Py_XDECREF(self->what), Py_XDECREF(self->entries), Py_XDECREF(self->asks), Py_XDECREF(self->recent), Py_XDECREF((PyObject *)self->last);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *make_launcher(PyTypeObject *type, PyObject *args, PyObject *options) {
  const char *modes;
  Py_ssize_t count;
  PyObject *outputs, *what;
  if (!PyArg_ParseTuple(args, "s#O!O", &modes, &count, &PyTuple_Type, &outputs, &what)) return NULL;
  if (count > MOST || PyTuple_Size(outputs) > count) return PyErr_Format(PyExc_ValueError, "too many arguments");
  Launcher *self = (Launcher *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  memcpy(self->mode, modes, count);
  self->arguments = (int)count, self->outputs = (int)PyTuple_Size(outputs);
  Py_INCREF(self->what = what), Py_INCREF(self->asks = Py_None);
  self->entries = PyDict_New();
  for (int n = 0; n < self->outputs; n++) self->output[n] = (int)PyLong_AsLong(PyTuple_GetItem(outputs, n));
  for (int n = 0; n < self->outputs && !PyErr_Occurred(); n++)
    if (self->output[n] < 0 || self->output[n] >= count) PyErr_SetString(PyExc_ValueError, "there is no such argument");
  if (self->entries && !PyErr_Occurred()) return (PyObject *)self;
  Py_DECREF(self);
  return NULL;
}

static PyMethodDef launcher_methods[] = {
  {"read", (PyCFunction)(void (*)(void))read_, METH_FASTCALL,
   "read(arguments, execution): launches where there is a plan, and returns the timeline; None if it did not."},
  {"run", (PyCFunction)(void (*)(void))run_, METH_FASTCALL,
   "run(launch, execution): does what `Launch.enqueue` does, where the execution knows its stream; or nothing."},
  {"add", (PyCFunction)(void (*)(void))add, METH_FASTCALL,
   "add(arguments, entry, layouts): launches what looks like these arguments from here on; whether it can."},
  {"knows", (PyCFunction)knows, METH_O, "knows(arguments): whether it has a plan for what looks like these, or cannot have one."},
  {"guard", (PyCFunction)guard, METH_O, "guard(asks): asks from here on whether the interpreter is to be used."},
  {0},
};
static PyType_Slot launcher_slots[] = {
  {Py_tp_new, make_launcher}, {Py_tp_dealloc, free_launcher}, {Py_tp_methods, launcher_methods}, {0},
};
static PyType_Spec launcher_spec = {
  "freehold.runtime._native.Launcher", sizeof(Launcher), 0, Py_TPFLAGS_DEFAULT, launcher_slots,
};

static PyObject *launches(PyObject *module, PyObject *args) {
  if (!PyArg_ParseTuple(args, "OOOOOOOOi", &lease, &outside, &timeline, &wrong, &let_go, &constant, &changed, &undone, &most_kept)) return NULL;
  Py_INCREF(args); /* with all that is in it, for good */
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
  {"enter_thread", enter_thread, METH_NOARGS, "Says that the calling thread has a context of the driver."},
  {"launches", launches, METH_VARARGS, "launches(lease, outside, timeline, wrong, let_go, constant, changed, undone, most_kept): what launchers know."},
  {"launches_on", launches_on, METH_VARARGS, "launches_on(launch, python, doc, lists): the method `on` of launches."},
  {0},
};

int add_launchers(PyObject *module) {
  n_place = PyUnicode_InternFromString("place"), n_borrow = PyUnicode_InternFromString("borrow");
  n_enqueued = PyUnicode_InternFromString("enqueued");
  n_tell = PyUnicode_InternFromString("tell");
  entry_type = (PyTypeObject *)PyType_FromSpec(&entry_spec), launcher_type = (PyTypeObject *)PyType_FromSpec(&launcher_spec);
  return n_place && n_borrow && n_enqueued && n_tell && entry_type && launcher_type &&
         !PyModule_AddFunctions(module, functions) && !PyModule_AddObjectRef(module, "Entry", (PyObject *)entry_type) &&
         !PyModule_AddObjectRef(module, "Launcher", (PyObject *)launcher_type);
}
