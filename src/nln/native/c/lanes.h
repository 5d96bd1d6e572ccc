/* Sums and products over many numbers in a fixed order, whatever vectors a processor has.

Number i goes into lane i modulo the number of lanes, and the lanes are combined in pairs at the end. A processor with
short vectors keeps a lane group in several registers and computes the same. */
#ifndef NLN_LANES_H
#define NLN_LANES_H

#include "arrays.h"

#define SINGLE_LANES 16
#define DOUBLE_LANES 8

typedef float SingleLanes __attribute__((vector_size(4 * SINGLE_LANES)));
typedef double DoubleLanes __attribute__((vector_size(8 * DOUBLE_LANES)));

INLINE SingleLanes load_singles(const float *at) {
    SingleLanes found;
    memcpy(&found, at, sizeof found);
    return found;
}

INLINE void store_singles(float *at, SingleLanes lanes) { memcpy(at, &lanes, sizeof lanes); }

INLINE DoubleLanes load_doubles(const double *at) {
    DoubleLanes found;
    memcpy(&found, at, sizeof found);
    return found;
}

INLINE float sum_of_lanes(SingleLanes lanes) {
    float at[SINGLE_LANES];
    memcpy(at, &lanes, sizeof lanes);
    for (int width = SINGLE_LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++) at[i] += at[i + width];
    return at[0];
}

INLINE float product_of_lanes(SingleLanes lanes) {
    float at[SINGLE_LANES];
    memcpy(at, &lanes, sizeof lanes);
    for (int width = SINGLE_LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++) at[i] *= at[i + width];
    return at[0];
}

INLINE double sum_of_double_lanes(DoubleLanes lanes) {
    double at[DOUBLE_LANES];
    memcpy(at, &lanes, sizeof lanes);
    for (int width = DOUBLE_LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++) at[i] += at[i + width];
    return at[0];
}

/* Product of some numbers. */
INLINE float product(const float *at, int64_t n) {
    SingleLanes lanes = (SingleLanes){0} + 1.0f;
    int64_t whole = n - n % SINGLE_LANES;
    for (int64_t i = 0; i < whole; i += SINGLE_LANES) lanes *= load_singles(at + i);
    for (int64_t i = whole; i < n; i++) lanes[i - whole] *= at[i];
    return product_of_lanes(lanes);
}

/* Sum of some numbers. */
INLINE float total(const float *at, int64_t n) {
    SingleLanes lanes = {0};
    int64_t whole = n - n % SINGLE_LANES;
    for (int64_t i = 0; i < whole; i += SINGLE_LANES) lanes += load_singles(at + i);
    for (int64_t i = whole; i < n; i++) lanes[i - whole] += at[i];
    return sum_of_lanes(lanes);
}

/* Sum of some numbers, each times its factor. */
INLINE float dot(const float *a, const float *b, int64_t n) {
    SingleLanes lanes = {0};
    int64_t whole = n - n % SINGLE_LANES;
    for (int64_t i = 0; i < whole; i += SINGLE_LANES) lanes += load_singles(a + i) * load_singles(b + i);
    for (int64_t i = whole; i < n; i++) lanes[i - whole] += a[i] * b[i];
    return sum_of_lanes(lanes);
}

#endif
