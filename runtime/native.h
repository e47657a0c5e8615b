/*
 * What the files of the native module share (`freehold.runtime.base.native` says when it is used).
 *
 * Objects of Freehold are read where their slots lie, which is found out by putting something there (`know`); every
 * object's class is compared first. All of it runs under the interpreter's lock; there is none for a Python without one.
 */
#ifndef FREEHOLD_NATIVE_H
#define FREEHOLD_NATIVE_H
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#define INTERFACE 14 /* with `freehold.runtime.base.native`: raised when either expects something else of the other */

#define CLASS(object) ((PyObject *)Py_TYPE((PyObject *)(object)))

enum { LAUNCH, BOUND, DISPATCHER, CHAIN, NEXT, PARTITION, TENSOR, STORAGE, SPACE, TIMELINE, EXECUTION, KERNEL, IN_FLIGHT, CLASSES };
extern PyObject *classes[CLASSES]; /* NULL for those that are not known yet */

enum {
  LAUNCH_DISPATCHER, LAUNCH_ARGUMENTS, LAUNCH_CODE, LAUNCH_INSTRUCTION, BOUND_STATE, DISPATCHER_LAUNCHER,
  CHAIN_SOURCE, CHAIN_FUNCTION, CHAIN_NESTS, NEXT_OPERATION, NEXT_RESUME, PARTITION_ARRAY, PARTITION_SPEC,
  TENSOR_POINTER, TENSOR_KEY, TENSOR_SPACE, TENSOR_STORAGE, TENSOR_EPOCH, STORAGE_EPOCH, SPACE_SOLE, SPACE_WROTE,
  TIMELINE_NOW, TIMELINE_REMEMBER, TIMELINE_EAGER, TIMELINE_KEPT, EXECUTION_PLACES, EXECUTION_RECORDING, KERNEL_PLAIN,
  IN_FLIGHT_VALUE, IN_FLIGHT_TIMELINES, IN_FLIGHT_OPERATION, IN_FLIGHT_KEPT, IN_FLIGHT_TICKS, SLOTS
};
extern Py_ssize_t offsets[SLOTS];

/* Of an object of the slot's class; borrowed, and NULL where it is not set. */
#define SLOT(object, slot) (*(PyObject **)((char *)(object) + offsets[slot]))

/* Takes over a reference. */
static inline void put(PyObject *object, int slot, PyObject *value) {
  PyObject *before = SLOT(object, slot);
  SLOT(object, slot) = value;
  Py_XDECREF(before);
}

/* Finds where the slots of a class lie; 0 with an exception where they cannot be found. */
int know(int class, PyObject *instance);

/* Calls Python's form of a function with what the native one was given, after `first` unless that is NULL. */
PyObject *otherwise(PyObject *function, PyObject *first, PyObject *const *given, Py_ssize_t count, PyObject *names);

/* Adds a type to the module; 0 with an exception. */
int add_type(PyObject *module, const char *name, PyType_Spec *spec);

/* Locks (`freehold.runtime.base.locks`). `lock_release` is 0 where this thread did not hold it. */
extern PyObject *lock_class;
void lock_hold(PyObject *lock);
int lock_release(PyObject *lock);

/* Launches (`native_launch.c`), and those that are bound (`native_bound.c`). */
int add_readers(PyObject *module);
int add_launchers(PyObject *module);
int add_bound(PyObject *module);
int add_calls(PyObject *module);
extern PyObject *undone; /* what `run` returns that did nothing */
/* Runs a launch as a part of others, by its dispatcher's launcher: its value; NULL where nothing was done, or with an
 * exception. `bound_plainly` the same of a bound launch's. */
PyObject *plainly(PyObject *launcher, PyObject *launch, PyObject *execution);
PyObject *bound_plainly(PyObject *bound, PyObject *execution);

/* What operations are described by (`native_describe.c`), and how they are run (`native_run.c`). */
int add_descriptions(PyObject *module);
int add_runs(PyObject *module);

#endif
