/* Launchers, and what bound launches have of them (`native_launch.c`, `native_bound.c`). */
#ifndef FREEHOLD_NATIVE_LAUNCH_H
#define FREEHOLD_NATIVE_LAUNCH_H
#include "native_read.h"

typedef int (*LaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
typedef int (*CurrentDevice)(int *);
typedef int (*IsCapturing)(void *, int *);

typedef struct {
  int code;      /* P: an address; 0: only Python can pass it; else as `struct` calls a scalar */
  int place;     /* of the parameter in memory */
  int written;   /* an array: whether it is more than read */
  long long size; /* an array: bytes that it spans */
} Value;

typedef struct {
  PyObject_HEAD
  LaunchKernel launch;
  CurrentDevice current; /* NULL where there is one GPU only */
  IsCapturing capturing; /* NULL where a launch is the same whether a graph is captured or not */
  void *kernel;
  unsigned shape[7]; /* blocks and threads of a block along x, y, z; bytes of dynamic shared memory */
  int device, values, parameters, plain; /* `plain`: whether it is packed here, and not by Python */
  uint64_t memory[MOST]; /* what is known of the parameters, eight bytes each */
  uint16_t at[MOST];     /* by parameter: where it lies there, in bytes */
  Value value[MOST];
  int failures;          /* where the address lies that what checks of the kernel's find is written to */
  PyObject *room;        /* says which that is, of a stream's handle; None where it checks nothing */
  PyObject *enqueue;     /* the plan's */
  PyObject *outside;     /* the space of other libraries' memory */
  PyObject *timelines;   /* by handle */
  PyObject *lock;        /* the device's */
  PyObject *number;      /* the device's */
  PyObject *family;      /* the library whose current stream it runs on */
  PyObject *kept;        /* what its key has addresses of */
} Entry;

typedef struct {
  PyObject_HEAD
  int arguments, outputs;
  char mode[MOST];       /* of each parameter: c: a constant; s: a scalar; t: a tensor */
  int output[MOST];      /* arguments that are the launch's value */
  PyObject *what;        /* what a launch is, in an error's words */
  PyObject *entries;     /* by key */
  PyObject *asks;        /* says whether the interpreter is to be used, or is None */
  PyObject *recent;      /* the bytes of the last key */
  Entry *last;           /* and its plan */
} Launcher;

extern PyTypeObject *entry_type, *launcher_type;

/* Whether the interpreter is to be used, or an exception says so. */
int interpreted(const Launcher *self);

/* Whether no array that is written shares a byte's span with another one. */
int apart(const Entry *entry, const uint64_t *memory);

/* The plan for what looks like these arguments, with a reference, their arrays, and where it is plain, their memory; NULL
 * where it is not known. It is `known`, unless that is NULL. */
Entry *planned(Launcher *self, PyObject *arguments, Entry *known, Arrays *arrays, uint64_t *memory);

/* The value of a plan that an array is; arrays are in the order of values. */
const Value *value_of(const Entry *entry, int array);

/*
 * The timeline to launch on, with a reference, and its stream: of an execution, or the current one, where nobody else's
 * has to be waited for. NULL with an exception, or where that is not known or unusual.
 */
PyObject *place_of(const Entry *entry, PyObject *execution, const Arrays *arrays, uint64_t *handle);

/*
 * Leases and launches on a timeline, to which it takes over a reference, with parameters that are packed in `memory`, or by
 * Python where that is NULL. Returns the timeline; NULL where nothing was launched, or with an exception of which Python
 * cannot find the cause.
 */
PyObject *fired(const Launcher *self, const Entry *entry, PyObject *arguments, const Arrays *arrays, PyObject *user, uint64_t handle,
                uint64_t *memory);

/*
 * Keeps what arrays have of other libraries' memory until a timeline's last operation, which comes next, is done. What was
 * kept lately is kept longer, so that who works on the same arrays again and again keeps one thing. -1 with an exception;
 * whether there is one thing more.
 */
int keep_owners(const Arrays *arrays, PyObject *user);

/* Makes room for what checks of a kernel find that is launched next on a stream. 0 with an exception. */
int made_room(const Entry *entry, uint64_t handle, uint64_t *memory);

/* The value of a launch, once torch knows that it is another one now. Takes over a reference; NULL with an exception. */
PyObject *told(PyObject *value, int families);

/* Leaves a trace in a timeline. Whether that went well. */
int traced(PyObject *user, PyObject *what, PyObject *launch);
#endif
