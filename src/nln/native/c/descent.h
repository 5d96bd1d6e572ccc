/* The arrays of the descent: `nln.learning.descent.layout` and `nln.learning.draft` say what they hold. */
#ifndef NLN_DESCENT_H
#define NLN_DESCENT_H

#include "arrays.h"

#define ZERO 1e-12     /* table entries below this count as zero: the row fails the condition */
#define LEAST_BIAS 1e-3 /* with which the tables of a faded rule are priced */

/* Values of `ordered`: a bag of values, bins of an axis, a circle of bins, bins of a probability. */
enum { BAG, AXIS, CIRCLE, CHANCE };

typedef struct {
    Integers offsets, n_known, has_other, has_missing, ordered;
    Doubles axis;
    double negation;
    int64_t unions, max_conditions, partial_missing;
    Doubles extra, least_shares;
    double evidence;
    Integers place_offsets;
    Doubles place_penalties;
    Integers upper_offsets;
    Doubles upper;
} SlotLayout;

/* What constraints allow; where there are none, the pointer to it is null. */
typedef struct {
    Bytes pairs, required;
    Integers direction;
    Doubles factors;
} Limits;

typedef struct {
    Codes codes;     /* (features, rows) */
    Singles targets; /* (outputs, rows) */
    Doubles weights;
} DescentRows;

typedef struct {
    Doubles tables, bias;
    Integers output;
    Doubles output_bias;
    int64_t n_fixed;
    Integers spans; /* (rules, features, 2) */
} Draft;

typedef struct {
    Counts zeros;
    Doubles product, rule;
    Integers room;
    Doubles q1, q2;
    Small output_zeros;
    Doubles output_product;
    double evidence;
} State;

/* What a feature's slots are: known values or bins, one for other values, one for missing ones. */
typedef struct {
    int64_t n_known, has_other, has_missing, ordered;
} Kind;

INLINE Kind kind_of(const SlotLayout *layout, int64_t j) {
    return (Kind){layout->n_known.at[j], layout->has_other.at[j], layout->has_missing.at[j], layout->ordered.at[j]};
}

/* Number of slots of a feature. */
#define SLOTS(layout, j) ((layout)->offsets.at[(j) + 1] - (layout)->offsets.at[j])
/* The slots of feature j in a rule's table. */
#define PART(layout, table, j) ((table) + (layout)->offsets.at[j])
#define SPAN(spans, j) ((spans) + 2 * (j))

#endif
