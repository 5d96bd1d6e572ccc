/* Sums and products over many numbers in a fixed order, whatever vectors a processor has.

Number i goes into lane i modulo the number of lanes, and the lanes are combined in halves at the end. A processor with
short vectors keeps its lanes in more registers and computes the same. */
#ifndef NLN_LANES_H
#define NLN_LANES_H

#include "arrays.h"

#define LANES 16       /* of single precision, in two groups */


typedef float Eight __attribute__((vector_size(32)));
typedef int32_t EightBits __attribute__((vector_size(32)));
typedef float Four __attribute__((vector_size(16)));
typedef double FourDoubles __attribute__((vector_size(32)));

/* Rules whose products stay in registers while a loop goes over features or intervals, and the vectors that hold them. */
#define TOGETHER 32
#define VECTORS (TOGETHER / 8)
#define EACH_VECTOR for (int i = 0; i < VECTORS; i++)

INLINE Eight load(const float *at) {
    Eight found;
    memcpy(&found, at, sizeof found);
    return found;
}

INLINE void store(float *at, Eight numbers) { memcpy(at, &numbers, sizeof numbers); }

/* The numbers above a limit; 0 in the place of the others. */
INLINE Eight above(Eight numbers, float limit) {
    return (Eight)((EightBits)numbers & (EightBits)(numbers > limit));
}

/* The same, of the numbers whose size is above a limit. */
INLINE Eight far_from_zero(Eight numbers, float limit) {
    Eight size = (Eight)((EightBits)numbers & 0x7fffffff);
    return (Eight)((EightBits)numbers & (EightBits)(size > limit));
}

INLINE FourDoubles load_doubles(const double *at) {
    FourDoubles found;
    memcpy(&found, at, sizeof found);
    return found;
}

/* Combine eight lanes in halves with + or *. */
#define COMBINE(name, operation) \
    INLINE float name(Eight lanes) { \
        Four low, high; \
        memcpy(&low, &lanes, sizeof low); \
        memcpy(&high, (const char *)&lanes + sizeof low, sizeof high); \
        low = low operation high; \
        return (low[0] operation low[2])operation(low[1] operation low[3]); \
    }
COMBINE(add_lanes, +)
COMBINE(multiply_lanes, *)
#undef COMBINE

INLINE double add_double_lanes(FourDoubles lanes) { return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]); }

/* The last numbers of a row, fewer than LANES, filled up with what changes nothing. */
INLINE void rest_of_row(const float *at, int64_t count, float neutral, float *filled) {
    for (int i = 0; i < LANES; i++) filled[i] = neutral;
    memcpy(filled, at, (size_t)count * sizeof(float));
}

/* Product of some numbers. */
INLINE float product(const float *at, int64_t n) {
    Eight first = (Eight){0} + 1.0f, second = first;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        first *= load(at + i);
        second *= load(at + i + 8);
    }
    if (i < n) {
        float rest[LANES];
        rest_of_row(at + i, n - i, 1.0f, rest);
        first *= load(rest);
        second *= load(rest + 8);
    }
    return multiply_lanes(first * second);
}

/* Sum of some numbers. */
INLINE float total(const float *at, int64_t n) {
    Eight first = {0}, second = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        first += load(at + i);
        second += load(at + i + 8);
    }
    if (i < n) {
        float rest[LANES];
        rest_of_row(at + i, n - i, 0.0f, rest);
        first += load(rest);
        second += load(rest + 8);
    }
    return add_lanes(first + second);
}

/* Sum of some numbers, each times its factor. */
INLINE float dot(const float *a, const float *b, int64_t n) {
    Eight first = {0}, second = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        first += load(a + i) * load(b + i);
        second += load(a + i + 8) * load(b + i + 8);
    }
    if (i < n) {
        float rest[LANES], others[LANES];
        rest_of_row(a + i, n - i, 0.0f, rest);
        rest_of_row(b + i, n - i, 0.0f, others);
        first += load(rest) * load(others);
        second += load(rest + 8) * load(others + 8);
    }
    return add_lanes(first + second);
}

#endif
