/*
 * Calls of functions that allocate and launch, done as they were before where arguments look as they did
 * (`freehold.runtime.interop.planned` finds out what they do). An argument is a tensor of torch's own class, or a value.
 * What is changed of the arguments is changed by one action alone, so that a call that is given up may be done anew.
 */
#include "native_launch.h"
#include <string.h>

/* Tensors of a call are numbered: those among its arguments, and behind them those that are made, as they are made. */

typedef struct { int base; int64_t delta; } Inside; /* in whose memory an array is, and how many bytes behind its beginning */

typedef struct {
  Launcher *launcher;
  Entry *entry;
  PyObject *launch, *arguments; /* it was described so; what of its arguments are no arrays */
  Inside *place;                 /* of arrays, in order */
  int arrays;
  uint64_t memory[MOST]; /* packed but for addresses */
} Step;

typedef struct {
  int base, at; /* which tensor; which argument it is, of an operator */
  int64_t first; /* where its elements begin in the tensor */
  PyObject *shape, *strides; /* what is seen of it; NULL: all */
} Part;

enum { MAKES, LAUNCHES, CALLS };

typedef struct {
  int kind;
  Step *step;                    /* LAUNCHES */
  PyObject *function, *given;    /* CALLS: an operator of torch's, its arguments but for tensors, and those with names */
  PyObject *named;               /* or NULL. MAKES: `given` are the arguments of `allocate` */
  Part *part;                    /* CALLS: its tensors */
  int parts;
  PyObject *looks;               /* CALLS: the key of what it makes; NULL where it makes nothing */
  PyObject *last;                /* a tuple of the tensors that nobody needs any more then */
} Action;

typedef struct {
  int actions, outputs, returns; /* `returns`: nothing (0), one by itself (-1), or a tuple (1) */
  PyObject *changes;             /* a tuple of which arguments are written by launches */
  Action *action;
  Part *output;                  /* what is returned; none is of tensor -1 */
} Plan;

typedef struct {
  PyObject_HEAD
  PyObject *plans;    /* by key: capsules */
  PyObject *settings; /* a tuple of functions: what they return tells calls apart, too */
} Calls;

static PyTypeObject *calls_type;
static PyObject *tensor_classes;     /* that are read: a tuple */
static PyObject *value_classes;      /* whose objects are told apart by where they are: a tuple */
static PyObject *allocate;           /* allocates on a GPU; takes what a plan says */
static PyObject *as_strided;         /* torch's: what is seen of a tensor's memory */
static PyObject *modes, *transforms; /* of torch: how many modes see what is done, and what transforms it, if anything */
static PyObject *n_publish, *numbers; /* of texts: numbers */

/* --- Keys ------------------------------------------------------------------------------------------------------------ */

static int among(PyObject *class, PyObject *several) {
  for (Py_ssize_t n = 0; n < PyTuple_Size(several); n++)
    if (PyTuple_GetItem(several, n) == class) return 1;
  return 0;
}

enum { MOST_TEXTS = 1 << 16 };

static int add_text(Key *key, PyObject *text) {
  PyObject *number = PyDict_GetItemWithError(numbers, text);
  if (number) return add_word(key, PyLong_AsUnsignedLongLong(number));
  if (PyErr_Occurred() || PyDict_Size(numbers) > MOST_TEXTS || !(number = PyLong_FromSsize_t(PyDict_Size(numbers)))) return 0;
  int good = !PyDict_SetItem(numbers, text, number) && add_word(key, PyLong_AsUnsignedLongLong(number));
  Py_DECREF(number);
  return good;
}

/* Puts a value into the key; 0 where it is of another kind. */
static int add_value(Key *key, PyObject *value) {
  if (value == Py_None || PyBool_Check(value)) return add_object(key, value);
  if (!add_object(key, CLASS(value))) return 0;
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return !overflow && add_word(key, (uint64_t)number);
  }
  if (PyFloat_CheckExact(value)) {
    double number = PyFloat_AsDouble(value);
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    return add_word(key, word);
  }
  if (PyUnicode_CheckExact(value)) return add_text(key, value);
  if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) {
    Py_ssize_t count = PySequence_Size(value);
    int good = add_word(key, (uint64_t)count);
    for (Py_ssize_t n = 0; good && n < count; n++) {
      PyObject *item = PySequence_GetItem(value, n);
      good = item && add_value(key, item);
      Py_XDECREF(item);
    }
    return good;
  }
  return among(CLASS(value), value_classes) && add_object(key, value);
}

/* Reads all arguments; 0 where any of them is unusual. No exception is set. */
static int read_all(const Calls *self, PyObject *arguments, Key *key, Arrays *bases) {
  key->count = 0, key->kept = NULL, bases->count = bases->families = 0;
  int good = 1;
  for (Py_ssize_t n = 0; good && n < PyTuple_Size(self->settings); n++) {
    PyObject *value = PyObject_CallNoArgs(PyTuple_GetItem(self->settings, n));
    good = value && add_value(key, value);
    Py_XDECREF(value);
  }
  for (Py_ssize_t n = 0; good && n < PyTuple_Size(arguments); n++) {
    PyObject *given = PyTuple_GetItem(arguments, n);
    if (among(CLASS(given), tensor_classes)) good = read_array(given, (int)n, WHOLE, key, bases);
    else good = add_value(key, given);
  }
  if (PyErr_Occurred()) PyErr_Clear(), good = 0;
  return good;
}

/* --- Running --------------------------------------------------------------------------------------------------------- */

/* Takes note of a tensor that was made, with its reference. 0 where it is unusual. */
static int made(PyObject *tensor, PyObject *looks, Arrays *bases) {
  Key key;
  key.count = 0, key.kept = NULL;
  int good = read_array(tensor, -1, looks ? AGAIN : ADDRESS, &key, bases);
  Py_DECREF(tensor);
  if (good && looks) { /* settings of torch's may have given it another dtype */
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)key.word, (Py_ssize_t)sizeof(uint64_t) * key.count);
    good = bytes && PyObject_RichCompareBool(bytes, looks, Py_EQ) == 1;
    Py_XDECREF(bytes);
  }
  return good && !(bases->array[bases->count - 1].pointer & 15);
}

/* What a part is now, as a tensor with a reference; NULL with an exception. */
static PyObject *part_of(const Part *part, const Arrays *bases) {
  if (part->base < 0) return Py_NewRef(Py_None);
  PyObject *base = bases->array[part->base].array;
  int64_t begin;
  if (!part->shape) return Py_NewRef(base);
  if (!torch_begin(base, &begin)) return PyErr_Format(PyExc_RuntimeError, "a tensor does not say where it begins");
  PyObject *first = PyLong_FromLongLong(begin + part->first);
  PyObject *found = first ? PyObject_CallFunctionObjArgs(as_strided, base, part->shape, part->strides, first, NULL) : NULL;
  Py_XDECREF(first);
  return found;
}

/* Calls an operator of torch's. 0 with an exception, or where what it makes looks otherwise than it did. */
static int run_operator(const Action *action, Arrays *bases) {
  Py_ssize_t count = PyTuple_Size(action->given);
  PyObject *arguments = PyTuple_New(count), *found = NULL;
  for (Py_ssize_t n = 0; arguments && n < count; n++) PyTuple_SetItem(arguments, n, Py_NewRef(PyTuple_GetItem(action->given, n)));
  for (int n = 0; arguments && n < action->parts; n++) {
    PyObject *tensor = part_of(&action->part[n], bases);
    if (!tensor || PyTuple_SetItem(arguments, action->part[n].at, tensor)) Py_CLEAR(arguments);
  }
  if (arguments) found = PyObject_Call(action->function, arguments, action->named);
  Py_XDECREF(arguments);
  if (found && action->looks) return made(found, action->looks, bases);
  Py_XDECREF(found);
  return found != NULL;
}

/* Where the arrays of a step are; whether they are apart, so that what is packed may be launched. */
static int placed(const Step *step, const Arrays *bases, Arrays *arrays, uint64_t *memory) {
  arrays->count = step->arrays, arrays->families = TORCH;
  memcpy(memory, step->memory, sizeof step->memory);
  for (int n = 0; n < step->arrays; n++) {
    const Array *base = &bases->array[step->place[n].base];
    arrays->array[n] = (Array){.family = TORCH, .array = base->array, .pointer = base->pointer + (uint64_t)step->place[n].delta};
    if (step->entry->plain) memory[value_of(step->entry, n)->place] = arrays->array[n].pointer;
  }
  return step->entry->plain && apart(step->entry, memory);
}

static int run_step(const Step *step, const Arrays *bases) {
  Arrays arrays;
  uint64_t memory[MOST], handle = 0;
  int plain = placed(step, bases, &arrays, memory);
  PyObject *user = place_of(step->entry, Py_None, &arrays, &handle);
  if (user) user = fired(step->launcher, step->entry, step->arguments, &arrays, user, handle, plain ? memory : NULL);
  int good = user && traced(user, step->launcher->what, step->launch);
  Py_XDECREF(user);
  if (good && (!step->entry->plain || step->entry->room != Py_None)) { /* it may check something */
    PyObject *done = PyObject_CallMethodObjArgs(step->launch, n_publish, NULL);
    good = done != NULL;
    Py_XDECREF(done);
  }
  return good;
}

/* Lets go of tensors, so that their memory is torch's again: what is enqueued from here on comes after what used it. */
static void let_go(PyObject *which, Arrays *bases) {
  for (Py_ssize_t n = 0; n < PyTuple_Size(which); n++) {
    int base = (int)PyLong_AsLong(PyTuple_GetItem(which, n));
    if (base >= 0 && base < bases->count) Py_CLEAR(bases->array[base].array);
  }
}

static PyObject *returned(const Plan *plan, const Arrays *bases) {
  if (!plan->returns) return Py_NewRef(Py_None);
  if (plan->returns < 0) return part_of(plan->output, bases);
  PyObject *found = PyTuple_New(plan->outputs);
  for (int n = 0; found && n < plan->outputs; n++) {
    PyObject *one = part_of(&plan->output[n], bases);
    if (!one || PyTuple_SetItem(found, n, one)) Py_CLEAR(found);
  }
  return found;
}

static int done(const Action *action, Arrays *bases) {
  if (action->kind == LAUNCHES) return run_step(action->step, bases);
  if (action->kind == CALLS) return run_operator(action, bases);
  PyObject *tensor = PyObject_CallObject(allocate, action->given);
  return tensor && made(tensor, NULL, bases);
}

static PyObject *done_again(const Plan *plan, PyObject *arguments, Arrays *bases) {
  for (int n = 0; n < plan->actions; n++)
    if (plan->action[n].kind == LAUNCHES && interpreted(plan->action[n].step->launcher)) return NULL;
  for (int n = 0; n < plan->actions; n++) {
    if (!done(&plan->action[n], bases)) return NULL; /* what is made by then is made anew */
    let_go(plan->action[n].last, bases);
  }
  for (Py_ssize_t n = 0; n < PyTuple_Size(plan->changes); n++) {
    PyObject *changed = PyTuple_GetItem(arguments, PyLong_AsSsize_t(PyTuple_GetItem(plan->changes, n)));
    if (!told(Py_NewRef(changed), TORCH)) return NULL;
    Py_DECREF(changed);
  }
  return returned(plan, bases);
}

/* Whether nothing stands between a function and what it calls of torch. */
static int alone(void) {
  PyObject *count = PyObject_CallNoArgs(modes), *transform = count ? PyObject_CallNoArgs(transforms) : NULL;
  int found = transform == Py_None && PyLong_CheckExact(count) && !PyLong_AsLong(count);
  Py_XDECREF(count), Py_XDECREF(transform);
  return found;
}

/* With `unwatched`, nothing but `...` where autograd alone has to see what is done. NULL where nothing was done, or with an
 * exception. */
static PyObject *run_on(Calls *self, PyObject *arguments, int unwatched) {
  if (!PyTuple_CheckExact(arguments)) return PyErr_Format(PyExc_TypeError, "a tuple is wanted");
  if (!alone()) return NULL;
  Key key;
  Arrays bases;
  PyObject *found = NULL, *value = NULL;
  int good = read_all(self, arguments, &key, &bases);
  int watched = 0;
  for (int n = 0; good && unwatched && n < bases.count; n++) watched |= bases.array[n].watched;
  if (watched) {
    value = Py_NewRef(Py_Ellipsis);
  } else if (good) {
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)key.word, (Py_ssize_t)sizeof(uint64_t) * key.count);
    found = bytes ? PyDict_GetItemWithError(self->plans, bytes) : NULL;
    Py_XINCREF(found), Py_XDECREF(bytes);
  }
  if (found) value = done_again(PyCapsule_GetPointer(found, NULL), arguments, &bases);
  close_arrays(&bases);
  Py_XDECREF(found);
  return value;
}

static PyObject *run(Calls *self, PyObject *arguments) {
  PyObject *value = run_on(self, arguments, 0);
  return value || PyErr_Occurred() ? value : Py_NewRef(Py_NotImplemented);
}

static PyObject *run_unwatched(Calls *self, PyObject *arguments) {
  PyObject *value = run_on(self, arguments, 1);
  return value || PyErr_Occurred() ? value : Py_NewRef(Py_NotImplemented);
}

/* --- Learning -------------------------------------------------------------------------------------------------------- */

static PyObject *key_of(Calls *self, PyObject *arguments) {
  Key key;
  Arrays bases;
  if (!PyTuple_CheckExact(arguments)) return PyErr_Format(PyExc_TypeError, "a tuple is wanted");
  int good = read_all(self, arguments, &key, &bases);
  close_arrays(&bases);
  if (!good) Py_RETURN_NONE;
  return PyBytes_FromStringAndSize((const char *)key.word, (Py_ssize_t)sizeof(uint64_t) * key.count);
}

static void free_step(Step *step) {
  Py_XDECREF((PyObject *)step->launcher), Py_XDECREF((PyObject *)step->entry), Py_XDECREF(step->launch), Py_XDECREF(step->arguments);
  PyMem_Free(step->place), PyMem_Free(step);
}

static void free_parts(Part *part, int count) {
  for (int n = 0; part && n < count; n++) Py_XDECREF(part[n].shape), Py_XDECREF(part[n].strides);
  PyMem_Free(part);
}

static void free_plan(Plan *plan) {
  for (int n = 0; n < plan->actions; n++) {
    Action *action = &plan->action[n];
    if (action->step) free_step(action->step);
    Py_XDECREF(action->function), Py_XDECREF(action->given), Py_XDECREF(action->named);
    Py_XDECREF(action->looks), Py_XDECREF(action->last);
    free_parts(action->part, action->parts);
  }
  free_parts(plan->output, plan->outputs);
  Py_XDECREF(plan->changes);
  PyMem_Free(plan->action), PyMem_Free(plan);
}

static void free_capsule(PyObject *capsule) { free_plan(PyCapsule_GetPointer(capsule, NULL)); }

/* Fills a step; 0 where its launcher does not know it, or with an exception. */
static int filled(Step *step, PyObject *said) {
  PyObject *launcher, *given, *kept, *launch, *places, *known;
  if (!PyArg_ParseTuple(said, "O!O!O!OO!O", launcher_type, &launcher, &PyTuple_Type, &given, &PyTuple_Type, &kept, &launch, &PyTuple_Type,
                        &places, &known) || CLASS(launch) != classes[LAUNCH])
    return 0;
  Entry *entry = CLASS(known) == (PyObject *)entry_type ? (Entry *)known : NULL; /* of these numbers, if Python has one */
  step->launcher = (Launcher *)Py_NewRef(launcher), step->launch = Py_NewRef(launch), step->arguments = Py_NewRef(kept);
  Arrays arrays;
  if (!(step->entry = planned(step->launcher, given, entry, &arrays, step->memory))) return 0;
  step->arrays = arrays.count;
  int good = arrays.count == PyTuple_Size(places) && (step->place = PyMem_Calloc(arrays.count + 1, sizeof(Inside)));
  for (int n = 0; good && n < arrays.count; n++) {
    long long delta;
    good = arrays.array[n].family == TORCH && PyArg_ParseTuple(PyTuple_GetItem(places, n), "iL", &step->place[n].base, &delta);
    step->place[n].delta = delta;
  }
  close_arrays(&arrays);
  return good;
}

/* Parts of a tuple of (which argument, which tensor, shape or None, strides, first element); NULL with an exception. */
static Part *parts_of(PyObject *said, int count) {
  Part *part = PyMem_Calloc(count + 1, sizeof(Part));
  if (!part) return (Part *)PyErr_NoMemory();
  for (int n = 0; n < count; n++) {
    long long first;
    PyObject *shape, *strides;
    if (!PyArg_ParseTuple(PyTuple_GetItem(said, n), "iiOOL", &part[n].at, &part[n].base, &shape, &strides, &first))
      return free_parts(part, count), NULL;
    part[n].first = first;
    if (shape != Py_None) part[n].shape = Py_NewRef(shape), part[n].strides = Py_NewRef(strides);
  }
  return part;
}

/* The key of a tensor, as of one that is made. */
static PyObject *looks_of(PyObject *tensor) {
  Key key;
  Arrays arrays = {0};
  key.count = 0, key.kept = NULL;
  int good = read_array(tensor, -1, AGAIN, &key, &arrays);
  close_arrays(&arrays);
  return good ? PyBytes_FromStringAndSize((const char *)key.word, (Py_ssize_t)sizeof(uint64_t) * key.count) : NULL;
}

/* Fills an action, which is zero; 0 where it cannot be done again, or with an exception. */
static int acted(Action *action, PyObject *said) {
  PyObject *what, *last, *parts, *made = NULL;
  if (!PyTuple_Check(said) || !PyArg_ParseTuple(said, "iOO!", &action->kind, &what, &PyTuple_Type, &last)) return 0;
  action->last = Py_NewRef(last);
  if (action->kind == MAKES) return PyTuple_Check(what) && (action->given = Py_NewRef(what));
  if (action->kind == LAUNCHES) return (action->step = PyMem_Calloc(1, sizeof(Step))) && filled(action->step, what);
  PyObject *function, *given, *named;
  if (!PyArg_ParseTuple(what, "OO!OO!O", &function, &PyTuple_Type, &given, &named, &PyTuple_Type, &parts, &made)) return 0;
  action->function = Py_NewRef(function), action->given = Py_NewRef(given);
  if (named != Py_None) action->named = Py_NewRef(named);
  int count = (int)PyTuple_Size(parts);
  if (!(action->part = parts_of(parts, count))) return 0;
  action->parts = count;
  return made == Py_None || (action->looks = looks_of(made));
}

static PyObject *add(Calls *self, PyObject *args) {
  PyObject *bytes, *actions, *outputs, *changes;
  int returns, good = 1;
  if (!PyArg_ParseTuple(args, "O!O!iO!O!", &PyBytes_Type, &bytes, &PyTuple_Type, &actions, &returns, &PyTuple_Type, &outputs, &PyTuple_Type,
                        &changes))
    return NULL;
  Plan *plan = PyMem_Calloc(1, sizeof(Plan));
  if (!plan) return PyErr_NoMemory();
  plan->action = PyMem_Calloc(PyTuple_Size(actions) + 1, sizeof(Action));
  if (!plan->action) return PyMem_Free(plan), PyErr_NoMemory();
  plan->returns = returns, plan->changes = Py_NewRef(changes);
  for (int n = 0; good && n < PyTuple_Size(actions); n++) {
    plan->actions = n + 1;
    good = acted(&plan->action[n], PyTuple_GetItem(actions, n));
  }
  good = good && (plan->output = parts_of(outputs, (int)PyTuple_Size(outputs)));
  if (good) plan->outputs = (int)PyTuple_Size(outputs);
  PyObject *capsule = good ? PyCapsule_New(plan, NULL, free_capsule) : NULL;
  if (!capsule) free_plan(plan);
  else if (PyDict_SetItem(self->plans, bytes, capsule)) good = 0;
  Py_XDECREF(capsule);
  if (PyErr_Occurred()) return NULL;
  return PyBool_FromLong(good);
}

static PyObject *forget(Calls *self, PyObject *unused) {
  PyDict_Clear(self->plans);
  Py_RETURN_NONE;
}

static void free_calls(Calls *self) {
  PyObject *type = CLASS(self);
  Py_XDECREF(self->plans), Py_XDECREF(self->settings);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *make_calls(PyTypeObject *type, PyObject *args, PyObject *options) {
  PyObject *tensors, *values, *functions[4], *settings;
  if (!PyArg_ParseTuple(args, "O!O!OOOOO!", &PyTuple_Type, &tensors, &PyTuple_Type, &values, &functions[0], &functions[1], &functions[2],
                        &functions[3], &PyTuple_Type, &settings))
    return NULL;
  Calls *self = (Calls *)PyType_GenericAlloc(type, 0);
  if (!self || !(self->plans = PyDict_New())) return Py_XDECREF((PyObject *)self), NULL;
  Py_INCREF(args); /* with all that is in it, for good */
  Py_INCREF(self->settings = settings);
  tensor_classes = tensors, value_classes = values, allocate = functions[0], as_strided = functions[1];
  modes = functions[2], transforms = functions[3];
  return (PyObject *)self;
}

static PyMethodDef calls_methods[] = {
  {"run", (PyCFunction)run, METH_O, "run(arguments): does a call as one before, and returns its value; NotImplemented where it does nothing."},
  {"run_unwatched", (PyCFunction)run_unwatched, METH_O, "run_unwatched(arguments): the same; `...` and nothing is done where autograd looks."},
  {"key", (PyCFunction)key_of, METH_O, "key(arguments): what tells calls apart; None for arguments of other kinds."},
  {"add", (PyCFunction)add, METH_VARARGS,
   "add(key, actions, returns, outputs, changes): what calls of this key do from here on; whether they can."},
  {"forget", (PyCFunction)forget, METH_NOARGS, "Forgets all."},
  {0},
};
static PyType_Slot calls_slots[] = {{Py_tp_new, make_calls}, {Py_tp_dealloc, free_calls}, {Py_tp_methods, calls_methods}, {0}};
static PyType_Spec calls_spec = {"freehold.runtime._native.Calls", sizeof(Calls), 0, Py_TPFLAGS_DEFAULT, calls_slots};

int add_calls(PyObject *module) {
  n_publish = PyUnicode_InternFromString("publish"), numbers = PyDict_New();
  calls_type = (PyTypeObject *)PyType_FromSpec(&calls_spec);
  return n_publish && numbers && calls_type && !PyModule_AddObjectRef(module, "Calls", (PyObject *)calls_type);
}
