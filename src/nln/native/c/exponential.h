/* The exponential function from arithmetic alone, so that the C library of a platform does not matter.

exp(x) = 2^k exp(r) with k the nearest whole number to x / log 2 and |r| <= log 2 / 2; the Taylor polynomial of exp(r)
is cut where its rest is below half a unit in the last place. */
#ifndef NLN_EXPONENTIAL_H
#define NLN_EXPONENTIAL_H

#include "arrays.h"

/* For |x| up to 700. */
INLINE double exponential(double x) {
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to a whole number */
    double k = (x * 1.4426950408889634074 + magic) - magic;
    double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * (r * r) + r;
    uint64_t bits = (uint64_t)((int64_t)k + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale + scale * p;
}

/* For |x| up to 80. */
INLINE float single_exponential(float x) {
    const float magic = 12582912.0f; /* 1.5 * 2^23 */
    float k = (x * 1.44269504f + magic) - magic;
    float r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
    float p = 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * (r * r) + r;
    uint32_t bits = (uint32_t)((int32_t)k + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale + scale * p;
}

/* 1 / (1 + exp(-z)). */
INLINE float single_sigmoid(float z) {
    return 1.0f / (1.0f + single_exponential(-MAX(MIN(z, 80.0f), -80.0f)));
}

#endif
