/* What operations are described by: partitions, launches, and chains of operations. */
#include "native.h"

/* --- Partitions ------------------------------------------------------------------------------------------------------ */

static PyObject *kinds, *specs, *cut; /* classes of partitions by array's class, specs by tile, and what takes all else */

static PyObject *partition(PyObject *module, PyObject *const *given, Py_ssize_t count, PyObject *names) {
  PyObject *array = count == 2 && !names ? given[0] : NULL, *tile = array ? given[1] : NULL;
  int plain = tile && (PyLong_CheckExact(tile) || PyTuple_CheckExact(tile)); /* 64.0 would find what 64 left */
  for (Py_ssize_t n = 0; plain && PyTuple_CheckExact(tile) && n < PyTuple_Size(tile); n++)
    plain = PyLong_CheckExact(PyTuple_GetItem(tile, n));
  if (plain) {
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
  return otherwise(cut, NULL, given, count, names);
}

static PyMethodDef partition_definition = {
  "partition", (PyCFunction)(void (*)(void))partition, METH_FASTCALL | METH_KEYWORDS, NULL,
};

static PyObject *partitions(PyObject *module, PyObject *args) {
  PyObject *instance, *by_class, *by_tile, *python;
  const char *doc;
  if (!PyArg_ParseTuple(args, "OO!O!Os", &instance, &PyDict_Type, &by_class, &PyDict_Type, &by_tile, &python, &doc)) return NULL;
  if (!know(PARTITION, instance)) return NULL;
  kinds = by_class, specs = by_tile, cut = python, partition_definition.ml_doc = doc;
  Py_INCREF(args); /* with all that is in it, for good */
  return PyCFunction_NewEx(&partition_definition, module, NULL);
}

/* --- Chains ---------------------------------------------------------------------------------------------------------- */

static PyObject *python_s[2]; /* Python's forms of `map` and `then` */

static PyObject *linked(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *names, int nests) {
  if (count != 1 || names) return otherwise(python_s[nests], self, given, count, names);
  PyObject *made = PyType_GenericAlloc((PyTypeObject *)classes[CHAIN], 0);
  if (!made) return NULL;
  Py_INCREF(SLOT(made, CHAIN_SOURCE) = self);
  Py_INCREF(SLOT(made, CHAIN_FUNCTION) = given[0]);
  Py_INCREF(SLOT(made, CHAIN_NESTS) = nests ? Py_True : Py_False);
  return made;
}

static PyObject *map(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *names) {
  return linked(self, given, count, names, 0);
}

static PyObject *then(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *names) {
  return linked(self, given, count, names, 1);
}

static PyMethodDef chain_definitions[] = {
  {"map", (PyCFunction)(void (*)(void))map, METH_FASTCALL | METH_KEYWORDS, NULL},
  {"then", (PyCFunction)(void (*)(void))then, METH_FASTCALL | METH_KEYWORDS, NULL},
};

static PyObject *chains(PyObject *module, PyObject *args) {
  PyObject *instance, *operation;
  if (!PyArg_ParseTuple(args, "OO!(OO)(ss)", &instance, &PyType_Type, &operation, &python_s[0], &python_s[1],
                        &chain_definitions[0].ml_doc, &chain_definitions[1].ml_doc) || !know(CHAIN, instance))
    return NULL;
  Py_INCREF(args); /* with all that is in it, for good */
  PyObject *first = PyDescr_NewMethod((PyTypeObject *)operation, &chain_definitions[0]);
  PyObject *second = first ? PyDescr_NewMethod((PyTypeObject *)operation, &chain_definitions[1]) : NULL;
  return first && second ? Py_BuildValue("(NN)", first, second) : NULL;
}

/* --- Launches -------------------------------------------------------------------------------------------------------- */

static PyObject *lasti, *call; /* names */

/* Calls a kernel: `_plain` is its number of parameters and its dispatcher, once it was called; `_called` takes all else. */
static PyObject *described(PyObject *self, PyObject *args, PyObject *options) {
  PyObject *ready = NULL;
  if (classes[KERNEL] && PyType_IsSubtype(Py_TYPE(self), (PyTypeObject *)classes[KERNEL])) ready = SLOT(self, KERNEL_PLAIN);
  Py_XINCREF(ready); /* another thread may make it anew */
  if (ready && !options && PyTuple_CheckExact(ready) && PyTuple_Size(args) == PyLong_AsSsize_t(PyTuple_GetItem(ready, 0))) {
    PyObject *frame = (PyObject *)PyEval_GetFrame(), *instruction = frame ? PyObject_GetAttr(frame, lasti) : NULL;
    PyObject *made = instruction ? PyType_GenericAlloc((PyTypeObject *)classes[LAUNCH], 0) : NULL;
    if (made) {
      Py_INCREF(SLOT(made, LAUNCH_DISPATCHER) = PyTuple_GetItem(ready, 1));
      Py_INCREF(SLOT(made, LAUNCH_ARGUMENTS) = args);
      SLOT(made, LAUNCH_CODE) = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
      SLOT(made, LAUNCH_INSTRUCTION) = instruction;
      Py_DECREF(ready);
      return made;
    }
    Py_XDECREF(instruction), PyErr_Clear();
  }
  Py_XDECREF(ready);
  PyObject *python = PyObject_GetAttr(self, call), *made = python ? PyObject_Call(python, args, options) : NULL;
  Py_XDECREF(python);
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

static PyMethodDef functions[] = {
  {"partitions", partitions, METH_VARARGS, "partitions(instance, kinds, specs, cut, doc): `partition`, which knows these."},
  {"chains", chains, METH_VARARGS, "chains(instance, operation, python, docs): methods `map` and `then` of operations."},
  {0},
};

int add_descriptions(PyObject *module) {
  lasti = PyUnicode_InternFromString("f_lasti"), call = PyUnicode_InternFromString("_called");
  return lasti && call && !PyModule_AddFunctions(module, functions) && add_type(module, "Caller", &caller_spec) &&
         add_type(module, "Dropped", &dropped_spec);
}
