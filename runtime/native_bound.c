/* Bound launches: parameters that are packed already, of arrays that have to be where they were. */
#include "native_launch.h"
#include <string.h>

typedef struct {
  PyObject_HEAD
  Launcher *launcher;
  Entry *entry;
  PyObject *arguments, *launch, *value, *thoroughly, *flight; /* `flight` makes one of a timeline */
  PyObject *flights;
  uint64_t memory[MOST]; /* packed */
  Key key;               /* of those arrays that may look otherwise than they did */
} Bound;

static PyTypeObject *bound_type;

/* Reads where arrays are, and what may have changed of them; 0 where one is elsewhere than it was. */
static int where_bound(const Bound *self, Key *key, Arrays *arrays, uint64_t *memory) {
  key->count = 0, key->kept = NULL, arrays->count = arrays->families = 0;
  memcpy(memory, self->memory, sizeof(uint64_t) * self->entry->parameters);
  for (int n = 0; n < self->launcher->arguments; n++)
    if (self->launcher->mode[n] == 't' && !read_array(PyTuple_GetItem(self->arguments, n), n, AGAIN, key, arrays)) return 0;
  for (int n = 0; n < arrays->count; n++)
    if (arrays->array[n].pointer != memory[value_of(self->entry, n)->place]) return 0;
  return 1;
}

static PyObject *bound_fired(Bound *self, PyObject *execution) {
  if (interpreted(self->launcher)) return NULL;
  Arrays arrays;
  Key key;
  uint64_t memory[MOST], handle = 0;
  int same = where_bound(self, &key, &arrays, memory) && key.count == self->key.count;
  same = same && !memcmp(key.word, self->key.word, sizeof(uint64_t) * key.count);
  PyObject *user = same ? place_of(self->entry, execution, &arrays, &handle) : NULL;
  if (user) user = fired(self->launcher, self->entry, self->arguments, &arrays, user, handle, memory);
  if (user && !told(Py_NewRef(self->value), arrays.families)) Py_CLEAR(user);
  else if (user) Py_DECREF(self->value);
  close_arrays(&arrays);
  return user;
}

static PyObject *fire(Bound *self, PyObject *execution) {
  PyObject *user = bound_fired(self, execution);
  if (user || PyErr_Occurred()) return user;
  Py_RETURN_NONE;
}

PyObject *bound_plainly(PyObject *bound, PyObject *execution) {
  if (Py_TYPE(bound) != bound_type) return NULL;
  Bound *self = (Bound *)bound;
  PyObject *user = bound_fired(self, execution), *value = NULL;
  if (user && traced(user, self->launcher->what, self->launch)) Py_INCREF(value = self->value);
  Py_XDECREF(user);
  return value;
}

static PyObject *bound_run(Bound *self, PyObject *execution) {
  PyObject *value = bound_plainly((PyObject *)self, execution);
  if (!value && !PyErr_Occurred()) Py_INCREF(value = undone);
  return value;
}

static PyObject *on(Bound *self, PyObject *const *given, Py_ssize_t count, PyObject *names) {
  if (count || names) return otherwise(self->thoroughly, NULL, given, count, names);
  PyObject *user = bound_fired(self, Py_None);
  if (!user) return PyErr_Occurred() ? NULL : PyObject_CallNoArgs(self->thoroughly);
  PyObject *flight = traced(user, self->launcher->what, self->launch) ? PyDict_GetItemWithError(self->flights, user) : NULL;
  Py_XINCREF(flight);
  if (!flight && !PyErr_Occurred() && (flight = PyObject_CallFunctionObjArgs(self->flight, user, NULL)))
    if (PyDict_SetItem(self->flights, user, flight)) Py_CLEAR(flight);
  Py_DECREF(user);
  return flight;
}

static void free_bound(Bound *self) {
  PyObject *type = CLASS(self);
  Py_XDECREF((PyObject *)self->launcher), Py_XDECREF((PyObject *)self->entry), Py_XDECREF(self->arguments), Py_XDECREF(self->launch);
  Py_XDECREF(self->value), Py_XDECREF(self->thoroughly), Py_XDECREF(self->flight), Py_XDECREF(self->flights), Py_XDECREF(self->key.kept);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *make_bound(PyTypeObject *type, PyObject *args, PyObject *options) {
  PyObject *launcher, *entry, *arguments, *launch, *value, *thoroughly, *flight;
  const char *memory;
  Py_ssize_t bytes;
  if (!PyArg_ParseTuple(args, "O!O!O!y#OOOO", launcher_type, &launcher, entry_type, &entry, &PyTuple_Type, &arguments, &memory, &bytes,
                        &launch, &value, &thoroughly, &flight))
    return NULL;
  if (CLASS(launch) != classes[LAUNCH] || PyTuple_Size(arguments) != ((Launcher *)launcher)->arguments ||
      bytes < 8 * ((Entry *)entry)->parameters || bytes > (Py_ssize_t)sizeof(uint64_t) * MOST)
    return PyErr_Format(PyExc_TypeError, "it is no launch of these");
  for (int n = 0; n < ((Entry *)entry)->values; n++)
    if (((Entry *)entry)->value[n].place < 0) Py_RETURN_NONE; /* nothing of the kernel's parameters is where it is */
  Bound *self = (Bound *)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  self->launcher = (Launcher *)Py_NewRef(launcher), self->entry = (Entry *)Py_NewRef(entry);
  Py_INCREF(self->arguments = arguments);
  Py_INCREF(self->launch = launch), Py_INCREF(self->value = value), Py_INCREF(self->thoroughly = thoroughly), Py_INCREF(self->flight = flight);
  memcpy(self->memory, memory, bytes);
  Arrays arrays;
  uint64_t same[MOST];
  int good = (self->flights = PyDict_New()) && where_bound(self, &self->key, &arrays, same);
  close_arrays(&arrays);
  if (good) return (PyObject *)self;
  Py_DECREF(self);
  if (PyErr_Occurred()) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef bound_methods[] = {
  {"fire", (PyCFunction)fire, METH_O, "fire(execution): launches, and returns the timeline; None if it did not."},
  {"run", (PyCFunction)bound_run, METH_O, "run(execution): launches as a part of others, and returns the value; or does nothing."},
  {"on", (PyCFunction)(void (*)(void))on, METH_FASTCALL | METH_KEYWORDS, "on(stream=None): as that of `BoundLaunch`."},
  {0},
};
static PyType_Slot bound_slots[] = {{Py_tp_new, make_bound}, {Py_tp_dealloc, free_bound}, {Py_tp_methods, bound_methods}, {0}};
static PyType_Spec bound_spec = {"freehold.runtime._native.Bound", sizeof(Bound), 0, Py_TPFLAGS_DEFAULT, bound_slots};

int add_bound(PyObject *module) {
  bound_type = (PyTypeObject *)PyType_FromSpec(&bound_spec);
  return bound_type && !PyModule_AddObjectRef(module, "Bound", (PyObject *)bound_type);
}
