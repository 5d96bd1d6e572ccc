/* Arrays as Python hands them over, and what every kernel needs: the layout of `nln.native.binding`.

An array is a pointer and its shape, 1 beyond its dimensions; all are contiguous. All kernels are compiled as one unit,
so that small functions of one file are inlined in another; only those marked EXPORT can be called from Python. */
#ifndef NLN_ARRAYS_H
#define NLN_ARRAYS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#ifdef _WIN32
#define VISIBLE __declspec(dllexport)
#else
#define VISIBLE __attribute__((visibility("default")))
#endif
/* The same source is compiled for several levels of a processor; LEVEL keeps their names apart. */
#define EXPORT(type, name) VISIBLE type JOIN(LEVEL, name)

#define ARRAY(name, type) \
    typedef struct { \
        type *at; \
        int64_t n, m, k; \
    } name
ARRAY(Singles, float);
ARRAY(Doubles, double);
ARRAY(Integers, int64_t);
ARRAY(Small, int32_t);
/* Slots of the features: bytes, or two bytes each in the units that are compiled for features with many values. */
#ifdef WIDE
typedef uint16_t Code;
#else
typedef uint8_t Code;
#endif
#define MOST_SLOTS 2048 /* of one feature: `nln.tables.encoding.MAX_SLOTS` */
ARRAY(Codes, Code);
ARRAY(Bytes, uint8_t);

/* Counts of failed conditions, of one, two or four bytes: `width` tells which. */
typedef struct {
    void *at;
    int64_t n, width, unused;
} Counts;

/* Row i of a matrix. */
#define ROW(array, i) ((array).at + (i) * (array).m)

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define INLINE static inline __attribute__((always_inline))

/* Room of `count` numbers for the time of one call; zeroed by `zeroed`. Without memory there is no way on. */
static void *room(int64_t count, size_t size) {
    void *found = malloc((size_t)(count > 0 ? count : 1) * size);
    if (!found) abort();
    return found;
}

static void *zeroed(int64_t count, size_t size) {
    int64_t bytes = (count > 0 ? count : 1) * (int64_t)size;
    return memset(room(bytes, 1), 0, (size_t)bytes);
}

#define NEW(type, count) ((type *)room((count), sizeof(type)))
#define NEW_ZEROS(type, count) ((type *)zeroed((count), sizeof(type)))

INLINE void fill(double *at, int64_t n, double value) {
    for (int64_t i = 0; i < n; i++) at[i] = value;
}

INLINE void fill_singles(float *at, int64_t n, float value) {
    for (int64_t i = 0; i < n; i++) at[i] = value;
}

INLINE double sum(const double *at, int64_t n) {
    double total = 0.0;
    for (int64_t i = 0; i < n; i++) total += at[i];
    return total;
}

#endif
