/*
 * The native module: launches, and chains of them, without Python in between (`freehold.runtime.native` says when).
 *
 * It does the plain case: exact classes, the same partition, extents, strides and alignment, scalars that fit, arrays
 * that lie apart, tensors that one stream alone uses. It judges nothing: whatever is otherwise, the driver's errors too,
 * it leaves as it is, for the Python that makes all checks and says what is wrong. So nothing here raises an error of its
 * own, and everything works without it.
 *
 * In this file: how objects of Freehold are laid out, and the ledger's lock.
 */
#include "native.h"
#include <pthread.h>

/* --- Where things lie ------------------------------------------------------------------------------------------------ */

PyObject *classes[CLASSES], *remember, *undone;
Py_ssize_t offsets[SLOTS];

static const struct { int class; const char *name; } slots[SLOTS] = {
  {LAUNCH, "_dispatcher"}, {LAUNCH, "_arguments"}, {LAUNCH, "_code"}, {LAUNCH, "_instruction"}, {BOUND, "_state"},
  {DISPATCHER, "plain"}, {CHAIN, "_source"}, {CHAIN, "_function"}, {CHAIN, "_nests"}, {NEXT, "operation"},
  {NEXT, "resume"}, {PARTITION, "array"}, {PARTITION, "spec"}, {TENSOR, "pointer"}, {TENSOR, "_key"}, {TENSOR, "space"},
  {TENSOR, "storage"}, {TENSOR, "epoch"}, {STORAGE, "epoch"}, {SPACE, "sole"}, {SPACE, "wrote"}, {TIMELINE, "now"},
  {EXECUTION, "places"}, {EXECUTION, "recording"}, {KERNEL, "_plain"},
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

/* All that is left to learn once there are launches; the others are known since their modules were loaded. */
static PyObject *learn(PyObject *module, PyObject *args) {
  static const int learnt[] = {LAUNCH, BOUND, DISPATCHER, TENSOR, STORAGE, SPACE, TIMELINE, EXECUTION, KERNEL};
  enum { COUNT = sizeof learnt / sizeof *learnt };
  PyObject *instances;
  if (!PyArg_ParseTuple(args, "O!OO", &PyTuple_Type, &instances, &remember, &undone)) return NULL;
  if (PyTuple_Size(instances) != COUNT) return PyErr_Format(PyExc_TypeError, "%d instances are wanted", COUNT);
  for (int n = 0; n < COUNT; n++)
    if (!know(learnt[n], PyTuple_GetItem(instances, n))) return NULL;
  Py_INCREF(args); /* with all that is in it, for good */
  Py_RETURN_NONE;
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

/* --- The ledger's lock ----------------------------------------------------------------------------------------------- */

/* As `threading.RLock`, and one only. A thread that waits for it gives up the interpreter's lock. */
static pthread_mutex_t ledger = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void ledger_hold(void) {
  if (!pthread_mutex_trylock(&ledger)) return;
  PyThreadState *state = PyEval_SaveThread();
  pthread_mutex_lock(&ledger);
  PyEval_RestoreThread(state);
}

int ledger_release(void) { return !pthread_mutex_unlock(&ledger); }

static PyObject *acquire(PyObject *self, PyObject *unused) {
  ledger_hold();
  Py_RETURN_TRUE;
}

static PyObject *release(PyObject *self, PyObject *unused) {
  if (ledger_release()) Py_RETURN_NONE;
  return PyErr_Format(PyExc_RuntimeError, "cannot release un-acquired lock");
}

static PyObject *leave(PyObject *self, PyObject *args) { return release(self, args); }

static PyMethodDef lock_methods[] = {
  {"acquire", acquire, METH_NOARGS, "Waits until no other thread has it."},
  {"release", release, METH_NOARGS, "Gives it back, once for each time it was acquired."},
  {"__enter__", acquire, METH_NOARGS, NULL},
  {"__exit__", leave, METH_VARARGS, NULL},
  {0},
};
static PyType_Slot lock_slots[] = {{Py_tp_methods, lock_methods}, {0}};
static PyType_Spec lock_spec = {
  "freehold.runtime._native.Lock", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, lock_slots,
};

/* --- The module ------------------------------------------------------------------------------------------------------ */

static PyMethodDef functions[] = {
  {"learn", learn, METH_VARARGS, "learn(instances, remember, undone): finds where the slots of such objects lie, one of each class."},
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
  PyObject *module = PyModule_Create(&definition), *type = PyType_FromSpec(&lock_spec);
  PyObject *lock = type ? PyType_GenericAlloc((PyTypeObject *)type, 0) : NULL;
  int good = module && lock && !PyModule_AddObjectRef(module, "LOCK", lock);
  good = good && !PyModule_AddIntConstant(module, "INTERFACE", INTERFACE);
  good = good && add_launchers(module) && add_descriptions(module) && add_runs(module);
  Py_XDECREF(type), Py_XDECREF(lock);
  if (good) return module;
  Py_XDECREF(module);
  return NULL;
}
