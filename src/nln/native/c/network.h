/* The network's arrays: `nln.network.layout` says what they hold. */
#ifndef NLN_NETWORK_H
#define NLN_NETWORK_H

#include "arrays.h"

enum { BINARY, VALUES, ORDERED, CIRCULAR, PROBABILITY };

typedef struct {
    Integers kinds, slot_offsets, weight_offsets, n_regular, n_bins, dichotomy_offsets;
    Singles positions, units;
} Layout;

typedef struct {
    Singles and_weights, or_weights, rule_bias, output_weights, output_bias, boundaries, sharpness, interval_weights;
} Weights;

typedef struct {
    Singles memberships, tables, g_memberships, g_tables, dichotomy, value, g_value;
    Integers low, high;
    Bytes is_met;
    Singles prefix, others;
    int64_t moves_nodes, moves_dichotomies;
} Scratch;

typedef struct {
    Codes codes;
    Singles targets, weights;
} Rows;

typedef struct {
    double rate, non_empty, l1, low;
    int64_t by_module, nodes, missing, biases, dichotomies, feature_units;
} Steps;

/* Products and gradients smaller than this are 0: they change nothing, but their products would be denormal numbers,
   with which a processor computes a hundred times more slowly. */
#define NOTHING 1e-18f

/* A number, or 0 unless it is kept. Bits instead of a choice: compilers make branches of choices, which no vector has. */
INLINE float if_kept(float number, bool kept) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits &= (uint32_t)0 - kept;
    memcpy(&number, &bits, sizeof bits);
    return number;
}

/* One of two numbers, without a branch. */
INLINE float either(bool first, float one, float other) {
    uint32_t bits, others, mask = (uint32_t)0 - first;
    memcpy(&bits, &one, sizeof bits);
    memcpy(&others, &other, sizeof others);
    bits = (bits & mask) | (others & ~mask);
    memcpy(&one, &bits, sizeof bits);
    return one;
}

INLINE float or_nothing(float p) { return if_kept(p, fabsf(p) > NOTHING); }

/* First slot of a feature's bins, and the one after the last. */
#define FIRST_BIN(layout, j) ((layout)->slot_offsets.at[j])
#define LAST_BIN(layout, j) ((layout)->slot_offsets.at[j] + (layout)->n_bins.at[j])

#endif
