/* How the arguments of a launch are read: what files of the native module share that look at them (`native_read.c`). */
#ifndef FREEHOLD_NATIVE_READ_H
#define FREEHOLD_NATIVE_READ_H
#include "native.h"

enum { MOST = 64, WORDS = 512, MOST_AXES = 16 }; /* arguments and parameters of a kernel; words of a key; axes */

/* Whose an array is, in bits: `freehold.runtime.launch.launcher` says by their classes. */
enum { NONE = 0, OWN = 1, TORCH = 2, CUPY = 4, FOREIGN = 8, CUT = 16 };

/* What arguments look like: all that tells them apart but addresses and the values of scalars. */
typedef struct {
  uint64_t word[WORDS];
  int count;
  PyObject *kept; /* a list of the objects whose addresses are in it, where they are wanted; else NULL */
} Key;

/* An array of a launch. `close_arrays` lets go of what it has. */
typedef struct {
  int argument, family, shape; /* `shape`: where its extents, and then strides in bytes, are in the key, of other libraries */
  int rank, watched; /* `watched`: autograd is looking at what is done with it */
  long long itemsize;
  uint64_t pointer;
  uint64_t stream;  /* that must be waited for, as its description says; 0 where there is none */
  PyObject *array;  /* a reference */
  PyObject *owner;  /* what keeps its memory, where nobody else may; a reference, or NULL */
} Array;

typedef struct {
  Array array[MOST];
  int count, families;
} Arrays;

/* How much of an array is read: all; what may have changed since it was read as a whole; its address, of one that is new. */
enum { WHOLE, AGAIN, ADDRESS };
/* Reads an argument for an array. 0 where it cannot be read or is unusual; no exception is set. */
int read_array(PyObject *given, int argument, int brief, Key *key, Arrays *arrays);
void close_arrays(Arrays *arrays);

/* Packs a scalar as `struct` would; 0 where that would raise. May run Python. */
int pack_scalar(int code, PyObject *value, uint64_t *memory);

int add_word(Key *key, uint64_t word);
int add_object(Key *key, PyObject *object);

/* The handle of the current stream of a library; 0 with an exception where it cannot be told. */
int current_stream(int family, int device, uint64_t *handle);
int is_partition(PyObject *given);

/* Where a tensor of torch's begins in its storage, in elements; 0 where it is none. */
int torch_begin(PyObject *object, int64_t *first);

/* Tells torch that a tensor's elements are others now; 0 where it is no tensor of torch's. */
int torch_told(PyObject *object);
#endif
