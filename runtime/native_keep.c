/* What launches leave in timelines: what they keep alive of other libraries' memory until they are done, traces, and room for what they
 * check. */
#include "native_launch.h"
#include <time.h>

/* Whether a list is that of the arrays' owners. */
static int of_these(PyObject *owners, const Arrays *arrays) {
  Py_ssize_t count = 0;
  if (!PyList_CheckExact(owners)) return 0;
  for (int n = 0; n < arrays->count; n++)
    if (arrays->array[n].owner && PyList_GetItem(owners, count++) != arrays->array[n].owner) return PyErr_Clear(), 0;
  return count == PyList_Size(owners);
}

enum { LATELY = 4 }; /* how many of the last things that are kept are looked at */

static PyObject *n_append;

int keep_owners(const Arrays *arrays, PyObject *user) {
  PyObject *all = SLOT(user, TIMELINE_KEPT), *now = SLOT(user, TIMELINE_NOW), *owners = NULL, *one = NULL, *done = NULL;
  Py_ssize_t size = PyObject_Size(all), before = -1;
  if (!n_append && !(n_append = PyUnicode_InternFromString("append"))) return -1;
  for (Py_ssize_t n = size - 1; n >= 0 && n >= size - LATELY && before < 0; n--) {
    PyObject *entry = PySequence_GetItem(all, n), *list = entry && PyTuple_CheckExact(entry) ? PyTuple_GetItem(entry, 1) : NULL;
    if (list && of_these(list, arrays)) before = n, owners = Py_NewRef(list);
    Py_XDECREF(entry);
  }
  if (!owners) owners = PyList_New(0);
  for (int n = 0; owners && before < 0 && n < arrays->count; n++)
    if (arrays->array[n].owner && PyList_Append(owners, arrays->array[n].owner)) Py_CLEAR(owners);
  if ((one = owners ? PyTuple_Pack(2, now, owners) : NULL)) {
    if (before == size - 1 && before >= 0) done = PySequence_SetItem(all, before, one) ? NULL : Py_NewRef(Py_None);
    else done = PyObject_CallMethodObjArgs(all, n_append, one, NULL);
    if (done && before >= 0 && before < size - 1 && PySequence_DelItem(all, before)) Py_CLEAR(done);
  }
  Py_XDECREF(owners), Py_XDECREF(one), Py_XDECREF(done);
  return done ? before < 0 : -1;
}

int traced(PyObject *user, PyObject *what, PyObject *launch) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  PyObject *when = PyLong_FromLongLong(time.tv_sec * 1000000000LL + time.tv_nsec), *now = SLOT(user, TIMELINE_NOW);
  Py_XINCREF(now); /* another launch may replace it */
  PyObject *trace = when && now ? PyTuple_Pack(5, now, when, what, SLOT(launch, LAUNCH_CODE), SLOT(launch, LAUNCH_INSTRUCTION)) : NULL;
  if (trace) PyObject_GC_UnTrack(trace); /* numbers, a text and code make no cycle, and there are thousands of these */
  PyObject *noted = trace ? PyObject_CallFunctionObjArgs(SLOT(user, TIMELINE_REMEMBER), trace, NULL) : NULL;
  Py_XDECREF(now), Py_XDECREF(when), Py_XDECREF(trace), Py_XDECREF(noted);
  return noted != NULL;
}

int made_room(const Entry *entry, uint64_t handle, uint64_t *memory) {
  if (entry->room == Py_None) return 1;
  PyObject *number = PyLong_FromUnsignedLongLong(handle), *address = number ? PyObject_CallFunctionObjArgs(entry->room, number, NULL) : NULL;
  if (address) memory[entry->failures] = PyLong_AsUnsignedLongLong(address);
  Py_XDECREF(number), Py_XDECREF(address);
  return !PyErr_Occurred();
}
