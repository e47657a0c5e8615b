/*
 * How arguments are read: addresses, and a key of everything else that tells arrays apart.
 *
 * Arrays of Freehold are read where their slots lie, torch's by its C interface (that of ahead-of-time compiled code, which
 * stays as it is between versions), CuPy's by attributes, those of others by `__cuda_array_interface__` or DLPack, which
 * are asked once. Nothing here says that something is wrong: what cannot be read is left to Python.
 */
#include "native_read.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

static PyObject *families;                       /* by class: whose its objects are, and for partitions `CUT` */
static PyObject *family_of;                      /* says so of a class that is new */
static PyObject *python[2];                      /* by library, torch's and CuPy's: what yields its current stream */
static PyObject *n_key, *n_data, *n_ptr, *n_device_id, *n_shape, *n_strides, *n_dtype, *n_interface,
  *n_dlpack, *no_arguments, *dlpack_options;
static const int READ_ONLY = 1;
static int family(PyObject *class);

int add_word(Key *key, uint64_t word) {
  if (key->count >= WORDS) return 0;
  key->word[key->count++] = word;
  return 1;
}

int add_object(Key *key, PyObject *object) {
  if (key->kept && PyList_Append(key->kept, object)) return 0;
  return add_word(key, (uint64_t)(uintptr_t)object);
}

static int add_number(Key *key, PyObject *number) {
  if (!number || !PyLong_CheckExact(number)) return 0;
  long long value = PyLong_AsLongLong(number);
  return !(value == -1 && PyErr_Occurred()) && add_word(key, (uint64_t)value);
}

static int address_of(PyObject *number, uint64_t *pointer) {
  if (!number || !PyLong_CheckExact(number)) return 0;
  *pointer = PyLong_AsUnsignedLongLong(number);
  return !(*pointer == UINT64_MAX && PyErr_Occurred());
}

static int add_numbers(Key *key, PyObject *numbers) {
  if (!numbers || !PyTuple_CheckExact(numbers)) return 0;
  for (Py_ssize_t n = 0; n < PyTuple_Size(numbers); n++)
    if (!add_number(key, PyTuple_GetItem(numbers, n))) return 0;
  return 1;
}

/* --- Freehold -------------------------------------------------------------------------------------------------------- */

static int read_own(PyObject *tensor, int brief, Key *key, Array *array) {
  if (CLASS(tensor) != classes[TENSOR] || !address_of(SLOT(tensor, TENSOR_POINTER), &array->pointer)) return 0;
  if (brief) return 1;
  PyObject *number = SLOT(tensor, TENSOR_KEY), *asked = NULL;
  if (number && PyLong_CheckExact(number) && PyLong_AsLongLong(number) < 0) /* it was never asked for */
    number = asked = PyObject_GetAttr(tensor, n_key);
  int good = add_number(key, number);
  Py_XDECREF(asked);
  return good;
}

/* --- Torch ----------------------------------------------------------------------------------------------------------- */

typedef int32_t (*Ask)(void *, void *);
typedef int32_t (*Where)(int32_t, void **);
/* What it is asked by: its C interface, and where that has no word, its own functions, which take a tensor by its address,
 * or what a tensor points to. */
static struct {
  Ask pointer, layout, kind, device, dtype, rank, sizes, strides, storage, offset;
  size_t (*itemsize)(int32_t);
  bool (*negated)(const void *), (*watched)(const void *), (*looking)(void), (*unversioned)(const void *);
  void (*changed)(const void *);
} torch;
static Where torch_stream;  /* the current stream of a GPU; NULL where only Python tells */
static Py_ssize_t torch_at; /* where an object has its tensor */
static int32_t torch_dense; /* the usual layout */

/* Whether a tensor's storage has all of its elements: it may have been resized, or its bytes given back. */
static int is_held(void *tensor, int32_t dtype, int64_t rank, const int64_t *sizes, const int64_t *strides) {
  int64_t bytes, last;
  if (torch.storage(tensor, &bytes) || torch.offset(tensor, &last)) return 0;
  for (int64_t n = 0; n < rank; n++) {
    if (!sizes[n]) return 1;
    last += (sizes[n] - 1) * strides[n];
  }
  return (last + 1) * (int64_t)torch.itemsize(dtype) <= bytes;
}

static int read_torch(PyObject *object, int brief, Key *key, Array *array) {
  void *tensor = (char *)object + torch_at, *pointer;
  int32_t layout, kind, device, dtype;
  int64_t rank, *sizes, *strides;
  if (!torch_at || torch.layout(tensor, &layout) || layout != torch_dense) return 0;
  if (torch.kind(tensor, &kind) || kind > 1 || torch.pointer(tensor, &pointer)) return 0; /* others have no addresses */
  array->pointer = (uint64_t)(uintptr_t)pointer;
  if (brief == ADDRESS) return 1;
  if (torch.device(tensor, &device) || torch.dtype(tensor, &dtype) || torch.rank(tensor, &rank) || rank > MOST_AXES) return 0;
  if (torch.sizes(tensor, &sizes) || torch.strides(tensor, &strides) || torch.negated(tensor)) return 0;
  if (!is_held(tensor, dtype, rank, sizes, strides)) return 0;
  int watched = torch.watched(*(void **)tensor);
  array->watched = watched && torch.looking(); /* autograd watches it, if it is looking */
  int good = add_word(key, (uint64_t)rank << 32 | (uint32_t)dtype) && add_word(key, (uint64_t)kind << 32 | (uint32_t)device);
  good = good && (brief || add_word(key, (uint64_t)(watched << 1 | array->watched)));
  for (int64_t n = 0; good && n < rank; n++) good = add_word(key, (uint64_t)sizes[n]) && add_word(key, (uint64_t)strides[n]);
  return good;
}

int torch_begin(PyObject *object, int64_t *first) {
  return torch_at && family(CLASS(object)) == TORCH && !torch.offset((char *)object + torch_at, first);
}

int torch_told(PyObject *object) {
  void *tensor = (char *)object + torch_at;
  if (!torch_at || family(CLASS(object)) != TORCH) return 0;
  if (!torch.unversioned(tensor)) torch.changed(tensor); /* it would raise otherwise */
  return 1;
}

/* --- CuPy ------------------------------------------------------------------------------------------------------------ */

static int read_cupy(PyObject *object, int brief, Key *key, Array *array) {
  PyObject *data = PyObject_GetAttr(object, n_data), *pointer = data ? PyObject_GetAttr(data, n_ptr) : NULL;
  int good = address_of(pointer, &array->pointer);
  if (good && !brief) {
    PyObject *device = PyObject_GetAttr(data, n_device_id), *shape = PyObject_GetAttr(object, n_shape);
    PyObject *strides = PyObject_GetAttr(object, n_strides), *dtype = PyObject_GetAttr(object, n_dtype);
    good = device && dtype && shape && PyTuple_CheckExact(shape) && add_word(key, (uint64_t)PyTuple_Size(shape));
    good = good && add_object(key, dtype) && add_number(key, device) && add_numbers(key, shape) && add_numbers(key, strides);
    Py_XDECREF(device), Py_XDECREF(shape), Py_XDECREF(strides), Py_XDECREF(dtype);
  }
  Py_XDECREF(data), Py_XDECREF(pointer);
  return good;
}

/* --- Others ---------------------------------------------------------------------------------------------------------- */

typedef struct { int32_t kind, device; } Device;
typedef struct { uint8_t code, bits; uint16_t lanes; } Type;
typedef struct { void *data; Device device; int32_t rank; Type type; int64_t *shape, *strides; uint64_t offset; } Described;
typedef struct { Described described; } Managed;
typedef struct { uint32_t major, minor; void *context; void (*end)(void *); uint64_t flags; Described described; } Versioned;

enum { ON_GPU = 2, MANAGED = 13 }; /* DLPack's kinds of devices */

static int (*pointer_attribute)(void *, int, uint64_t); /* of the driver; NULL where there is one GPU only */
enum { DEVICE_ORDINAL = 9 };

/* Puts extents and strides, in bytes, into the key. NULL strides are those of a contiguous array. */
static int add_layout(Key *key, Array *array, const int64_t *shape, const int64_t *strides, int64_t unit) {
  int64_t step = array->itemsize;
  array->shape = key->count;
  if (key->count + 2 * array->rank > WORDS) return 0;
  for (int n = array->rank - 1; n >= 0; n--) {
    key->word[array->shape + n] = (uint64_t)shape[n];
    key->word[array->shape + array->rank + n] = (uint64_t)(strides ? strides[n] * unit : step);
    step *= shape[n];
  }
  key->count += 2 * array->rank;
  return 1;
}

enum { SHAPE, STRIDES, DATA, TYPESTR, MASK, STREAM, VERSION, ENTRIES }; /* of `__cuda_array_interface__` */
static PyObject *n_entry[ENTRIES];

/* Its entries; those that are not there are NULL. Names in a program's text are one object each, so few are looked up. */
static void entries_of(PyObject *said, PyObject **found) {
  PyObject *name, *value;
  Py_ssize_t at = 0;
  for (int n = 0; PyDict_Next(said, &at, &name, &value); found[n] = value) {
    for (n = 0; n < ENTRIES && n_entry[n] != name;) n++;
    if (n < ENTRIES) continue;
    for (n = 0; n < ENTRIES; n++) found[n] = PyDict_GetItemWithError(said, n_entry[n]);
    return;
  }
}

static int read_interface(PyObject *said, Key *key, Array *array) {
  if (!PyDict_CheckExact(said)) return 0;
  PyObject *entry[ENTRIES] = {NULL};
  entries_of(said, entry);
  PyObject *shape = entry[SHAPE], *strides = entry[STRIDES], *data = entry[DATA], *typestr = entry[TYPESTR];
  PyObject *mask = entry[MASK], *stream = entry[STREAM];
  Py_ssize_t length = 0;
  const char *type = typestr && PyUnicode_CheckExact(typestr) ? PyUnicode_AsUTF8AndSize(typestr, &length) : NULL;
  int64_t extents[2 * MOST_AXES];
  uint64_t word = 0;
  if (!type || length < 3 || length > 8 || (mask && mask != Py_None) || !shape || !PyTuple_CheckExact(shape)) return 0;
  if (!data || !PyTuple_CheckExact(data) || PyTuple_Size(data) != 2 || !address_of(PyTuple_GetItem(data, 0), &array->pointer)) return 0;
  array->rank = (int)PyTuple_Size(shape);
  if (strides == Py_None) strides = NULL;
  if (array->rank > MOST_AXES || (strides && (!PyTuple_CheckExact(strides) || PyTuple_Size(strides) != array->rank))) return 0;
  for (int n = 0; n < 2 * array->rank; n++) {
    PyObject *number = n < array->rank ? PyTuple_GetItem(shape, n) : strides ? PyTuple_GetItem(strides, n - array->rank) : NULL;
    if (!number) break;
    if (!PyLong_CheckExact(number)) return 0;
    extents[n] = PyLong_AsLongLong(number);
  }
  memcpy(&word, type, length);
  for (Py_ssize_t n = 2; n < length; n++) array->itemsize = 10 * array->itemsize + type[n] - '0';
  if (stream && stream != Py_None && !address_of(stream, &array->stream)) return 0;
  int64_t device = 0;
  int32_t ordinal = 0;
  if (pointer_attribute && !pointer_attribute(&ordinal, DEVICE_ORDINAL, array->pointer)) device = ordinal;
  int locked = PyObject_IsTrue(PyTuple_GetItem(data, 1));
  return !PyErr_Occurred() && add_word(key, word) && add_word(key, (uint64_t)device << 32 | (uint64_t)array->rank << 1 | (locked != 0)) &&
         add_layout(key, array, extents, strides ? extents + array->rank : NULL, 1);
}

/* Keeps the capsule, which gives the memory back when it is dropped. */
static int read_dlpack(PyObject *object, Key *key, Array *array) {
  PyObject *method = PyObject_GetAttr(object, n_dlpack), *capsule = method ? PyObject_Call(method, no_arguments, dlpack_options) : NULL;
  Py_XDECREF(method);
  if (!capsule) return 0;
  array->owner = capsule;
  int versioned = PyCapsule_IsValid(capsule, "dltensor_versioned"), flags = 0;
  if (!versioned && !PyCapsule_IsValid(capsule, "dltensor")) return 0;
  void *managed = PyCapsule_GetPointer(capsule, versioned ? "dltensor_versioned" : "dltensor");
  if (versioned && ((Versioned *)managed)->major != 1) return 0;
  const Described *found = versioned ? &((Versioned *)managed)->described : &((Managed *)managed)->described;
  if (versioned) flags = (int)(((Versioned *)managed)->flags & READ_ONLY);
  if ((found->device.kind != ON_GPU && found->device.kind != MANAGED) || found->rank < 0 || found->rank > MOST_AXES) return 0;
  if (found->type.lanes != 1 || found->type.bits % 8) return 0;
  array->pointer = (uint64_t)(uintptr_t)found->data + found->offset;
  array->rank = found->rank;
  array->itemsize = found->type.bits / 8;
  uint64_t type = UINT64_C(1) << 63 | (uint64_t)found->type.code << 8 | found->type.bits; /* no text begins with that bit */
  return add_word(key, type) && add_word(key, (uint64_t)found->device.device << 32 | (uint64_t)found->rank << 1 | (uint64_t)flags) &&
         add_layout(key, array, found->shape, found->strides, array->itemsize);
}

static int read_foreign(PyObject *object, Key *key, Array *array) {
  PyObject *said = PyObject_GetAttr(object, n_interface);
  if (!said) {
    PyErr_Clear();
    return read_dlpack(object, key, array);
  }
  Py_INCREF(array->owner = object);
  int good = read_interface(said, key, array);
  Py_DECREF(said);
  return good;
}

/* --- Scalars ------------------------------------------------------------------------------------------------------ */

int pack_scalar(int code, PyObject *value, uint64_t *memory) {
  if (code == '?') {
    int truth = PyObject_IsTrue(value);
    *memory = (uint64_t)(truth > 0);
    return truth >= 0;
  }
  if (code == 'f' || code == 'd') {
    double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) return 0;
    float narrow = (float)number;
    *memory = 0;
    memcpy(memory, code == 'd' ? (void *)&number : (void *)&narrow, code == 'd' ? 8 : 4);
    return code == 'd' || !isinf(narrow) || isinf(number);
  }
  PyObject *whole = PyNumber_Index(value);
  if (!whole) return 0;
  if (code == 'Q' || code == 'P') {
    *memory = PyLong_AsUnsignedLongLong(whole);
    Py_DECREF(whole);
    return !(*memory == UINT64_MAX && PyErr_Occurred());
  }
  long long number = PyLong_AsLongLong(whole);
  Py_DECREF(whole);
  if (number == -1 && PyErr_Occurred()) return 0;
  int width = code == 'b' || code == 'B' ? 8 : code == 'h' || code == 'H' ? 16 : code == 'i' || code == 'I' ? 32 : 64;
  int is_signed = code >= 'a';
  *memory = (uint64_t)number & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
  if (width == 64) return 1;
  return is_signed ? number >= -(1LL << (width - 1)) && number < 1LL << (width - 1) : number >= 0 && number < 1LL << width;
}

/* --- All of them ----------------------------------------------------------------------------------------------------- */

static int family(PyObject *class) {
  static struct { PyObject *class; int family; } recent[64]; /* of classes that `families` keeps */
  size_t at = ((uintptr_t)class >> 6 ^ (uintptr_t)class >> 12) & 63;
  if (recent[at].class == class) return recent[at].family;
  PyObject *known = PyDict_GetItemWithError(families, class);
  if (!known && !PyErr_Occurred()) {
    PyObject *made = PyObject_CallFunctionObjArgs(family_of, class, NULL);
    if (!made || PyDict_SetItem(families, class, made)) return Py_XDECREF(made), NONE;
    Py_DECREF(made);
    known = PyDict_GetItemWithError(families, class);
  }
  if (!known) return NONE;
  recent[at].class = class, recent[at].family = (int)PyLong_AsLong(known);
  return recent[at].family;
}

int is_partition(PyObject *given) { return family(CLASS(given)) == CUT; }

static int read_as(PyObject *given, int found, int brief, Key *key, Array *array) {
  int good = found == OWN ? read_own(given, brief, key, array) : found == TORCH ? read_torch(given, brief, key, array)
           : found == CUPY ? read_cupy(given, brief, key, array) : found == FOREIGN && read_foreign(given, key, array);
  if (PyErr_Occurred()) PyErr_Clear(), good = 0;
  return good && array->pointer && (brief || add_word(key, array->pointer & 15));
}

int read_array(PyObject *given, int argument, int brief, Key *key, Arrays *arrays) {
  if (arrays->count >= MOST) return 0;
  Array *array = &arrays->array[arrays->count++];
  *array = (Array){.argument = argument};
  int found = family(CLASS(given));
  int good = found != NONE && (brief || add_object(key, CLASS(given)));
  if (good && found == CUT) {
    PyObject *spec = SLOT(given, PARTITION_SPEC);
    given = SLOT(given, PARTITION_ARRAY);
    good = spec && given && (brief || (add_object(key, spec) && add_object(key, CLASS(given))));
    if (good) found = family(CLASS(given));
  }
  if (!good) return PyErr_Clear(), 0;
  Py_INCREF(array->array = given); /* a partition may get another one meanwhile */
  array->family = found;
  arrays->families |= found;
  return read_as(given, found, brief, key, array);
}

void close_arrays(Arrays *arrays) {
  for (int n = 0; n < arrays->count; n++) Py_XDECREF(arrays->array[n].array), Py_XDECREF(arrays->array[n].owner);
  arrays->count = 0;
}

int current_stream(int family, int device, uint64_t *handle) {
  void *theirs;
  if (family == TORCH && torch_stream && !torch_stream(device, &theirs)) return *handle = (uint64_t)(uintptr_t)theirs, 1;
  PyObject *function = python[family == CUPY], *number = function ? PyLong_FromLong(device) : NULL, *pointer;
  PyObject *found = number ? PyObject_CallFunctionObjArgs(function, number, NULL) : NULL;
  if (found && family == CUPY) {
    pointer = PyObject_GetAttr(found, n_ptr);
    Py_DECREF(found), found = pointer;
  }
  int good = address_of(found, handle);
  Py_XDECREF(number), Py_XDECREF(found);
  return good;
}

static PyObject *reads(PyObject *module, PyObject *args) {
  unsigned long long attribute;
  if (!PyArg_ParseTuple(args, "OKO!", &family_of, &attribute, &PyDict_Type, &dlpack_options)) return NULL;
  pointer_attribute = (int (*)(void *, int, uint64_t))(uintptr_t)attribute;
  Py_INCREF(args); /* with all that is in it, for good */
  Py_RETURN_NONE;
}

/* Finds where tensors lie in their objects: `tensor` is one, at `address` in memory. */
static PyObject *reads_torch(PyObject *module, PyObject *args) {
  PyObject *tensor, *basic, *functions;
  unsigned long long address, stream;
  Py_ssize_t found = 0;
  if (!PyArg_ParseTuple(args, "OKOKO!", &tensor, &address, &python[0], &stream, &PyTuple_Type, &functions)) return NULL;
  if (PyTuple_Size(functions) * sizeof(void *) != sizeof torch) return PyErr_Format(PyExc_TypeError, "other functions are wanted");
  if (!(basic = PyObject_GetAttrString(CLASS(tensor), "__basicsize__"))) return NULL;
  Py_ssize_t size = PyLong_AsSsize_t(basic);
  Py_DECREF(basic), Py_INCREF(args);
  for (Py_ssize_t at = sizeof(PyObject); at + (Py_ssize_t)sizeof(void *) <= size; at += sizeof(void *))
    if (*(uint64_t *)((char *)tensor + at) == address) found = found ? -1 : at;
  if (found <= 0) Py_RETURN_FALSE;
  for (Py_ssize_t n = 0; n < PyTuple_Size(functions); n++) {
    uint64_t function;
    if (!address_of(PyTuple_GetItem(functions, n), &function)) Py_RETURN_FALSE;
    memcpy((char *)&torch + n * sizeof(void *), &function, sizeof(void *));
  }
  if (torch.layout((char *)tensor + found, &torch_dense)) Py_RETURN_FALSE;
  torch_stream = (Where)(uintptr_t)stream;
  torch_at = found;
  Py_RETURN_TRUE;
}

static PyObject *look_at(PyObject *module, PyObject *args) {
  PyObject *object;
  int found;
  if (!PyArg_ParseTuple(args, "Oi", &object, &found)) return NULL;
  Array array = {0};
  Key key;
  key.count = 0, key.kept = NULL;
  int good = read_as(object, found, WHOLE, &key, &array);
  Py_XDECREF(array.owner);
  if (!good) Py_RETURN_NONE;
  return Py_BuildValue("(Ky#)", array.pointer, (const char *)key.word, (Py_ssize_t)sizeof(uint64_t) * key.count);
}

/* The address and layout of each of several tensors of torch; None where one is none, or its storage does not hold it. */
static PyObject *looks(PyObject *module, PyObject *tensors) {
  if (!PyTuple_CheckExact(tensors)) return PyErr_Format(PyExc_TypeError, "a tuple is wanted");
  PyObject *found = PyTuple_New(PyTuple_Size(tensors));
  for (Py_ssize_t n = 0; found && n < PyTuple_Size(tensors); n++) {
    Array array = {0};
    Key key;
    key.count = 0, key.kept = NULL;
    PyObject *tensor = PyTuple_GetItem(tensors, n);
    int good = family(CLASS(tensor)) == TORCH && read_as(tensor, TORCH, AGAIN, &key, &array) && add_word(&key, array.pointer);
    if (PyErr_Occurred()) PyErr_Clear(), good = 0;
    if (!good) return Py_DECREF(found), Py_NewRef(Py_None);
    PyObject *one = PyBytes_FromStringAndSize((const char *)key.word, (Py_ssize_t)sizeof(uint64_t) * key.count);
    if (!one || PyTuple_SetItem(found, n, one)) Py_CLEAR(found);
  }
  return found;
}

static PyObject *reads_cupy(PyObject *module, PyObject *current) {
  Py_INCREF(python[1] = current);
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
  {"reads", reads, METH_VARARGS, "reads(family, attribute, options): whose arrays of a class are, and what reading others' takes."},
  {"reads_torch", reads_torch, METH_VARARGS,
   "reads_torch(tensor, address, current, stream, functions): whether tensors can be read as this one, and how."},
  {"look_at", look_at, METH_VARARGS,
   "look_at(array, family): its address, and the key of all else that tells it apart; None if it is unusual."},
  {"looks", looks, METH_O, "looks(tensors): of each tensor of torch its address and layout; None where a storage does not hold one."},
  {"reads_cupy", reads_cupy, METH_O, "reads_cupy(current): how arrays of CuPy are read."},
  {0},
};

int add_readers(PyObject *module) {
  static const struct { PyObject **name; const char *text; } names[] = {
    {&n_key, "key"}, {&n_data, "data"}, {&n_ptr, "ptr"},
    {&n_device_id, "device_id"}, {&n_shape, "shape"}, {&n_strides, "strides"}, {&n_dtype, "dtype"},
    {&n_interface, "__cuda_array_interface__"}, {&n_dlpack, "__dlpack__"}, {&n_entry[SHAPE], "shape"},
    {&n_entry[STRIDES], "strides"}, {&n_entry[DATA], "data"}, {&n_entry[TYPESTR], "typestr"}, {&n_entry[MASK], "mask"},
    {&n_entry[STREAM], "stream"}, {&n_entry[VERSION], "version"},
  };
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    if (!(*names[n].name = PyUnicode_InternFromString(names[n].text))) return 0;
  families = PyDict_New(), no_arguments = PyTuple_New(0);
  return families && no_arguments && !PyModule_AddFunctions(module, functions);
}
