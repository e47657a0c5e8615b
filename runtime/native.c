/*
 * The native module: launches, and chains of them, without Python in between (`freehold.runtime.base.native` says when).
 *
 * It launches what looks like a launch that Python checked. It judges nothing: whatever is otherwise, the driver's errors
 * too, it leaves as it is, for the Python that makes all checks and says what is wrong. So nothing here raises an error of
 * its own, and everything works without it.
 *
 * In this file: how objects of Freehold are laid out, and locks.
 */
#include "native.h"
#include <pthread.h>
#include <string.h>

/* --- Where things lie ------------------------------------------------------------------------------------------------ */

PyObject *classes[CLASSES], *undone, *lock_class;
Py_ssize_t offsets[SLOTS];

static const struct { int class; const char *name; } slots[SLOTS] = {
  {LAUNCH, "_dispatcher"}, {LAUNCH, "_arguments"}, {LAUNCH, "_code"}, {LAUNCH, "_instruction"}, {BOUND, "_state"},
  {DISPATCHER, "launcher"}, {CHAIN, "_source"}, {CHAIN, "_function"}, {CHAIN, "_nests"}, {NEXT, "operation"},
  {NEXT, "resume"}, {PARTITION, "array"}, {PARTITION, "spec"}, {TENSOR, "pointer"}, {TENSOR, "_key"}, {TENSOR, "space"},
  {TENSOR, "storage"}, {TENSOR, "epoch"}, {STORAGE, "epoch"}, {SPACE, "sole"}, {SPACE, "wrote"}, {TIMELINE, "now"},
  {TIMELINE, "remember"}, {TIMELINE, "eager"}, {TIMELINE, "kept"},
  {EXECUTION, "places"}, {EXECUTION, "recording"}, {KERNEL, "_plain"},
  {IN_FLIGHT, "value"}, {IN_FLIGHT, "_timelines"}, {IN_FLIGHT, "_operation"}, {IN_FLIGHT, "_kept"},
  {IN_FLIGHT, "_ticks"},
};

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

int know(int class, PyObject *instance) {
  for (int n = 0; n < SLOTS; n++) {
    Py_ssize_t found = slots[n].class == class ? offset_of(instance, slots[n].name) : offsets[n];
    if (slots[n].class == class && found <= 0) return 0;
    offsets[n] = found;
  }
  Py_INCREF(classes[class] = CLASS(instance));
  return 1;
}

static const char *const names[CLASSES] = {
  "Launch", "BoundLaunch", "Dispatcher", NULL, NULL, NULL, "Tensor", "Storage", "Space", "Timeline", "Execution", "Caller",
  "InFlight",
}; /* those of NULL are known by other ways */

/* Classes are learnt when their modules are loaded. What is not known yet is nothing that a plain launch has. */
static PyObject *learn(PyObject *module, PyObject *args) {
  const char *name;
  PyObject *instance;
  if (!PyArg_ParseTuple(args, "sO", &name, &instance)) return NULL;
  for (int n = 0; n < CLASSES; n++) {
    if (!names[n] || strcmp(names[n], name)) continue;
    if (!know(n, instance)) return NULL;
    Py_RETURN_NONE;
  }
  return PyErr_Format(PyExc_ValueError, "no class is called %s", name);
}

PyObject *otherwise(PyObject *function, PyObject *first, PyObject *const *given, Py_ssize_t count, PyObject *names) {
  Py_ssize_t before = first != NULL;
  PyObject *args = PyTuple_New(before + count), *options = PyDict_New(), *made = NULL;
  if (args && first) Py_INCREF(first), PyTuple_SetItem(args, 0, first);
  for (Py_ssize_t n = 0; args && n < count; n++) {
    Py_INCREF(given[n]);
    PyTuple_SetItem(args, before + n, given[n]);
  }
  for (Py_ssize_t n = 0; options && names && n < PyTuple_Size(names); n++)
    if (PyDict_SetItem(options, PyTuple_GetItem(names, n), given[count + n])) Py_CLEAR(options);
  if (args && options) made = PyObject_Call(function, args, options);
  Py_XDECREF(args), Py_XDECREF(options);
  return made;
}

/* --- Locks ----------------------------------------------------------------------------------------------------------- */

/* As `threading.RLock`. A thread that waits for one gives up the interpreter's lock. */
typedef struct {
  PyObject_HEAD
  pthread_mutex_t mutex;
} Lock;

void lock_hold(PyObject *lock) {
  pthread_mutex_t *mutex = &((Lock *)lock)->mutex;
  if (!pthread_mutex_trylock(mutex)) return;
  PyThreadState *state = PyEval_SaveThread();
  pthread_mutex_lock(mutex);
  PyEval_RestoreThread(state);
}

int lock_release(PyObject *lock) { return !pthread_mutex_unlock(&((Lock *)lock)->mutex); }

static int init_mutex(Lock *self) {
  pthread_mutexattr_t recursive;
  if (pthread_mutexattr_init(&recursive)) return 0;
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  int error = pthread_mutex_init(&self->mutex, &recursive);
  pthread_mutexattr_destroy(&recursive);
  return !error;
}

static PyObject *make_lock(PyTypeObject *type, PyObject *args, PyObject *options) {
  PyObject *made = PyType_GenericAlloc(type, 0);
  if (made && !init_mutex((Lock *)made)) return Py_DECREF(made), PyErr_NoMemory();
  return made;
}

/*
 * From CPython 3.14 on signals are handled between this and the block, and what their handler raises would leave the lock
 * behind. So those that came while it was waited for are handled here; the few nanoseconds from here to the block are left.
 */
static PyObject *enter(PyObject *self, PyObject *unused) {
  lock_hold(self);
  if (!PyErr_CheckSignals()) Py_RETURN_NONE;
  lock_release(self);
  return NULL;
}

static PyObject *leave(PyObject *self, PyObject *args) {
  if (lock_release(self)) Py_RETURN_NONE;
  return PyErr_Format(PyExc_RuntimeError, "cannot release un-acquired lock");
}

static PyObject *renew(PyObject *self, PyObject *unused) {
  if (!init_mutex((Lock *)self)) return PyErr_NoMemory();
  Py_RETURN_NONE;
}

static PyMethodDef lock_methods[] = {
  {"__enter__", enter, METH_NOARGS, "Waits until no other thread has it."},
  {"__exit__", leave, METH_VARARGS, "Gives it back, once for each time it was entered."},
  {"renew", renew, METH_NOARGS, "Makes it free, whoever has it: after a fork."},
  {0},
};
static PyType_Slot lock_slots[] = {{Py_tp_new, make_lock}, {Py_tp_methods, lock_methods}, {0}};
static PyType_Spec lock_spec = {"freehold.runtime._native.Lock", sizeof(Lock), 0, Py_TPFLAGS_DEFAULT, lock_slots};

/* --- The module ------------------------------------------------------------------------------------------------------ */

static PyMethodDef functions[] = {
  {"learn", learn, METH_VARARGS, "learn(name, instance): finds where the slots of objects of a class lie."},
  {0},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", "Plain launches, without Python.", -1, functions};

int add_type(PyObject *module, const char *name, PyType_Spec *spec) {
  PyObject *type = PyType_FromSpec(spec);
  int good = type && !PyModule_AddObjectRef(module, name, type);
  Py_XDECREF(type);
  return good;
}

PyMODINIT_FUNC PyInit__native(void) {
  PyObject *module = PyModule_Create(&definition);
  lock_class = PyType_FromSpec(&lock_spec);
  int good = module && lock_class && !PyModule_AddObjectRef(module, "Lock", lock_class);
  good = good && !PyModule_AddIntConstant(module, "INTERFACE", INTERFACE);
  good = good && add_readers(module) && add_launchers(module) && add_bound(module) && add_calls(module) && add_descriptions(module) && add_runs(module);
  if (good) return module;
  Py_XDECREF(module);
  return NULL;
}
