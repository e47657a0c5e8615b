/* How operations are run: `walk` and `in_a_row`, as `freehold.runtime.operations.operation` has them in Python. */
#include "native.h"
#include <time.h>

static PyObject *operations, *several; /* classes */
static PyObject *already, *refuse;     /* raise that a chain was run, and that a function gave no operation */
static PyObject *begun;                /* an operation that goes on with a `Next` */
static PyObject *enqueue, *what_it_is; /* names */

/* What `operation.enqueue(execution)` returns. */
static PyObject *started(PyObject *operation, PyObject *execution) {
  PyObject *class = CLASS(operation), *value = NULL;
  if (PyErr_CheckSignals()) return NULL;
  if (class == classes[LAUNCH]) {
    PyObject *dispatcher = SLOT(operation, LAUNCH_DISPATCHER);
    if (dispatcher && CLASS(dispatcher) == classes[DISPATCHER])
      value = plainly(SLOT(dispatcher, DISPATCHER_LAUNCHER), operation, execution);
  } else if (class == classes[BOUND]) {
    PyObject *state = SLOT(operation, BOUND_STATE); /* the last of it is the native module's */
    if (state && PyTuple_Check(state) && PyTuple_Size(state) == 5) {
      Py_INCREF(state); /* another thread may bind others */
      value = bound_plainly(PyTuple_GetItem(state, 4), execution);
      Py_DECREF(state);
    }
  }
  return value || PyErr_Occurred() ? value : PyObject_CallMethodObjArgs(operation, enqueue, execution, NULL);
}

/* --- Trees of operations --------------------------------------------------------------------------------------------- */

typedef struct {
  PyObject **items; /* chains whose sources are being run, and functions that take a value; references */
  size_t count, room;
} Waiting;

/* Takes over a reference. 0 with an exception where there is no memory. */
static int push(Waiting *waiting, PyObject *item) {
  if (waiting->count == waiting->room) {
    size_t room = waiting->room ? 2 * waiting->room : 64;
    PyObject **items = PyMem_Realloc(waiting->items, room * sizeof *items);
    if (!items) return Py_DECREF(item), PyErr_NoMemory(), 0;
    waiting->items = items, waiting->room = room;
  }
  waiting->items[waiting->count++] = item;
  return 1;
}

/* Goes from a chain to what it begins with, which is returned; takes over a reference. */
static PyObject *descended(Waiting *waiting, PyObject *operation) {
  while (operation && CLASS(operation) == classes[CHAIN]) {
    PyObject *source = SLOT(operation, CHAIN_SOURCE);
    if (!source || source == Py_None) {
      PyObject *what = PyObject_GetAttr(operation, what_it_is);
      if (what) Py_XDECREF(PyObject_CallFunctionObjArgs(already, what, NULL));
      Py_XDECREF(what), Py_DECREF(operation);
      return NULL;
    }
    Py_INCREF(SLOT(operation, CHAIN_SOURCE) = Py_None); /* nobody else runs it */
    operation = push(waiting, operation) ? source : (Py_DECREF(source), NULL);
  }
  return operation;
}

/* The value that a step makes of a value, or for one that nests, an operation in `next`. */
static PyObject *stepped(PyObject *step, PyObject *value, PyObject *execution, PyObject **next) {
  if (CLASS(step) != classes[CHAIN]) return PyObject_CallFunctionObjArgs(step, value, NULL);
  PyObject *function = SLOT(step, CHAIN_FUNCTION), *made = PyObject_CallFunctionObjArgs(function, value, NULL);
  if (!made || SLOT(step, CHAIN_NESTS) != Py_True) return made;
  int fits = PyType_IsSubtype(Py_TYPE(made), (PyTypeObject *)operations) ? 1 : PyObject_IsInstance(made, operations);
  if (fits <= 0) {
    if (!fits) Py_XDECREF(PyObject_CallFunctionObjArgs(refuse, function, made, NULL));
  } else if (CLASS(made) == classes[CHAIN]) {
    return *next = made, NULL;
  } else {
    value = started(made, execution);
    Py_DECREF(made);
    return value;
  }
  Py_DECREF(made);
  return NULL;
}

static PyObject *walk(PyObject *module, PyObject *const *given, Py_ssize_t count) {
  if (count != 2) return PyErr_Format(PyExc_TypeError, "walk takes 2 arguments, not %zd", count);
  Waiting waiting = {0};
  PyObject *current = given[0], *execution = given[1], *found = NULL;
  Py_INCREF(current);
  while ((current = descended(&waiting, current))) {
    found = started(current, execution);
    Py_DECREF(current), current = NULL;
    while (found) {
      if (CLASS(found) == classes[NEXT]) {
        PyObject *resume = SLOT(found, NEXT_RESUME);
        Py_INCREF(current = SLOT(found, NEXT_OPERATION));
        if (resume != Py_None && (Py_INCREF(resume), !push(&waiting, resume))) Py_CLEAR(current);
        Py_CLEAR(found);
      } else if (waiting.count) {
        PyObject *step = waiting.items[--waiting.count], *value = found;
        found = stepped(step, value, execution, &current);
        Py_DECREF(step), Py_DECREF(value);
      } else {
        break;
      }
    }
    if (found) break;
  }
  while (waiting.count) Py_DECREF(waiting.items[--waiting.count]);
  PyMem_Free(waiting.items);
  return found;
}

static PyObject *in_a_row(PyObject *module, PyObject *const *given, Py_ssize_t count) {
  if (count != 3 || !PyTuple_CheckExact(given[0]) || !PyList_CheckExact(given[1]))
    return PyErr_Format(PyExc_TypeError, "in_a_row takes a tuple, a list and an execution");
  for (Py_ssize_t n = PyList_Size(given[1]); n < PyTuple_Size(given[0]); n++) {
    PyObject *operation = PyTuple_GetItem(given[0], n);
    if (CLASS(operation) == several || CLASS(operation) == classes[CHAIN]) return Py_INCREF(operation), operation;
    PyObject *found = started(operation, given[2]), *next = NULL;
    if (found && CLASS(found) == classes[NEXT]) next = PyObject_CallFunctionObjArgs(begun, found, NULL);
    int goes_on = found && !next && !PyErr_Occurred() && !PyList_Append(given[1], found);
    Py_XDECREF(found);
    if (!goes_on) return next;
  }
  Py_RETURN_NONE;
}

static PyMethodDef definitions[] = {
  {"walk", (PyCFunction)(void (*)(void))walk, METH_FASTCALL, "walk(operation, execution): runs it, and returns its value."},
  {"in_a_row", (PyCFunction)(void (*)(void))in_a_row, METH_FASTCALL,
   "in_a_row(operations, values, execution): runs those that have no value yet; returns one that has to be taken apart."},
};

/* --- Waiting --------------------------------------------------------------------------------------------------------- */

static int64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int (*asked)(void *), (*mode)(int *); /* of the driver: whether a stream is empty; how captures of others are met */

/* Asks the driver, which takes a capture of another thread's for ended unless it is told that this is none of its. */
static PyObject *becomes_empty(PyObject *module, PyObject *const *given, Py_ssize_t count) {
  unsigned long long stream = count == 2 ? PyLong_AsUnsignedLongLong(given[0]) : 0;
  long long most = count == 2 ? PyLong_AsLongLong(given[1]) : 0;
  if (PyErr_Occurred()) return NULL;
  int relaxed = 2, error;
  PyThreadState *state = PyEval_SaveThread();
  int exchanged = !mode(&relaxed);
  int64_t until = nanoseconds() + most;
  while ((error = asked((void *)(uintptr_t)stream)) && nanoseconds() < until) {}
  if (exchanged) mode(&relaxed);
  PyEval_RestoreThread(state);
  return PyBool_FromLong(!error);
}

static PyMethodDef asking_definition = {
  "becomes_empty", (PyCFunction)(void (*)(void))becomes_empty, METH_FASTCALL,
  "becomes_empty(stream, nanoseconds): whether it is empty within this time, looking again and again.",
};

static PyObject *asking(PyObject *module, PyObject *args) {
  unsigned long long query, exchange;
  if (!PyArg_ParseTuple(args, "KK", &query, &exchange)) return NULL;
  asked = (int (*)(void *))(uintptr_t)query, mode = (int (*)(int *))(uintptr_t)exchange;
  return PyCFunction_NewEx(&asking_definition, module, NULL);
}

static PyObject *runs(PyObject *module, PyObject *args) {
  PyObject *next;
  if (!PyArg_ParseTuple(args, "OOOOOO", &next, &operations, &several, &begun, &already, &refuse) || !know(NEXT, next)) return NULL;
  if (!PyType_Check(operations)) return PyErr_Format(PyExc_TypeError, "a class is wanted");
  Py_INCREF(args); /* with all that is in it, for good */
  PyObject *first = PyCFunction_NewEx(&definitions[0], module, NULL), *second = PyCFunction_NewEx(&definitions[1], module, NULL);
  return first && second ? Py_BuildValue("(NN)", first, second) : NULL;
}

static PyMethodDef functions[] = {
  {"runs", runs, METH_VARARGS, "runs(next, operation, several, begun, already, refuse): `walk` and `in_a_row`, which know these."},
  {"asking", asking, METH_VARARGS, "asking(query, exchange): `becomes_empty`, which asks by these functions of the driver."},
  {0},
};

int add_runs(PyObject *module) {
  enqueue = PyUnicode_InternFromString("enqueue"), what_it_is = PyUnicode_InternFromString("what");
  return enqueue && what_it_is && !PyModule_AddFunctions(module, functions);
}
