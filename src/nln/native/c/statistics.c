/* Closed-form answers to "what if this rule asked something else of this feature?".

Fix everything but rule i of output k, and let Q(x) = (1 - o_k) prod_(others of k) (1 - a r). The squared error is
quadratic in r_i(x): with q1 = w Q (y - 1 + Q) and q2 = w Q^2 it changes by  sum_x q2 (a r)^2 - 2 q1 (a r).
Since r_i = P_-j T_ij[code_j], one pass over the rows gives, for every slot v of feature j,

    s1[v] = sum_(code_j = v) q1 a P_-j          s2[v] = sum_(code_j = v) q2 (a P_-j)^2

and the error of any new table t is  sum_v s2[v] t[v]^2 - 2 s1[v] t[v].  Rows that fail two conditions of a crisp rule
contribute nothing and are not visited.

`codes` is (features, rows): each pass reads one feature of all rows. The tests compare every sum with an evaluation of
the whole program. */
#include "descent.h"

#define COUNT uint8_t
#define NAMED(name) name##_8
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WORDS
#endif
#include "row_state.inc.c"
#undef WORDS
#undef COUNT
#undef NAMED
#define COUNT uint16_t
#define NAMED(name) name##_16
#include "row_state.inc.c"
#undef COUNT
#undef NAMED
#define COUNT uint32_t
#define NAMED(name) name##_32
#include "row_state.inc.c"
#undef COUNT
#undef NAMED

/* Call a pass with the counts at their width. */
#define WITH_COUNTS(counts, name, before, ...) \
    ((counts)->width == 1   ? name##_8(before (uint8_t *)(counts)->at, __VA_ARGS__) \
     : (counts)->width == 2 ? name##_16(before (uint16_t *)(counts)->at, __VA_ARGS__) \
                            : name##_32(before (uint32_t *)(counts)->at, __VA_ARGS__))
#define AFTER(...) __VA_ARGS__,

/* Whether a feature's table asks anything: some entry differs from 1. */
INLINE bool is_used(const double *table, int64_t n_slots) {
    for (int64_t v = 0; v < n_slots; v++)
        if (table[v] != 1.0) return true;
    return false;
}

#define ASKS(layout, table, j) is_used(PART(layout, table, j), SLOTS(layout, j))

/* State of all rows under one rule, from scratch. */
static void rule_state(const Codes *codes, const int64_t *offsets, const double *table, const Counts *zeros,
                       double *product) {
    memset(zeros->at, 0, (size_t)(zeros->n * zeros->width));
    fill(product, zeros->n, 1.0);
    for (int64_t j = 0; j < codes->n; j++) {
        const double *part = table + offsets[j];
        int64_t n_slots = offsets[j + 1] - offsets[j];
        if (is_used(part, n_slots))
            WITH_COUNTS(zeros, multiply, AFTER(ROW(*codes, j), part, n_slots), product, zeros->n);
    }
}

EXPORT(void, rule_state)(const Codes *codes, const Integers *offsets, const Doubles *table, const Counts *zeros,
                         const Doubles *product) {
    rule_state(codes, offsets->at, table->at, zeros, product->at);
}

EXPORT(void, replace)(const Codes *codes, const Doubles *old, const Doubles *new, const Counts *zeros,
                      const Doubles *product) {
    WITH_COUNTS(zeros, replace, AFTER(codes->at, old->at, new->at, old->n), product->at, zeros->n);
}

/* Rows that fail no condition of the lifted rule, and at most one, collected in its room. */
typedef struct {
    int64_t covered, count;
} Within;

static Within rows_within_one(const Counts *zeros, int64_t *active) {
    Within found;
    found.count = WITH_COUNTS(zeros, rows_within_one, , zeros->n, active, &found.covered);
    return found;
}

EXPORT(int64_t, rows_within_one)(const Counts *zeros, const Integers *active, const Integers *covered) {
    Within found = rows_within_one(zeros, active->at);
    covered->at[0] = found.covered;
    return found.count;
}

/* Terms of s1 and s2 of the rows that fail no condition, for features that the rule does not ask about yet.

   Returns an upper bound of the squared error that any condition on such a feature can save: that of each row's best
   membership. */
static double weigh_covered(const int64_t *covered, int64_t count, const double *product, double bias, const double *q1,
                            const double *q2, double *first, double *second) {
    double saved = 0.0;
    for (int64_t place = 0; place < count; place++) {
        int64_t n = covered[place];
        double r = bias * product[n];
        first[place] = q1[n] * r;
        second[place] = q2[n] * r * r;
        double best = MAX(q2[n], 1e-300);
        best = MAX(q1[n] / best, 0.0);
        best = MIN(best, r);
        saved += q2[n] * (r * r - best * best) - 2.0 * q1[n] * (r - best);
    }
    return saved;
}

EXPORT(double, weigh_covered)(const Integers *covered, const Doubles *product, double bias, const Doubles *q1,
                              const Doubles *q2, const Doubles *first, const Doubles *second) {
    return weigh_covered(covered->at, covered->n, product->at, bias, q1->at, q2->at, first->at, second->at);
}

/* Sums s1, s2 of a feature by slot, from the terms of some rows. */
static void covered_sums(const Code *codes, const int64_t *covered, int64_t count, const double *first,
                         const double *second, double *s1, double *s2, int64_t n_slots) {
    fill(s1, n_slots, 0.0);
    fill(s2, n_slots, 0.0);
    for (int64_t place = 0; place < count; place++) {
        int64_t v = codes[covered[place]];
        s1[v] += first[place];
        s2[v] += second[place];
    }
}

EXPORT(void, covered_sums)(const Codes *codes, const Integers *covered, const Doubles *first, const Doubles *second,
                           const Doubles *s1, const Doubles *s2) {
    covered_sums(codes->at, covered->at, covered->n, first->at, second->at, s1->at, s2->at, s1->n);
}

EXPORT(void, slot_sums)(const Codes *codes, const Integers *active, const Counts *zeros, const Doubles *product,
                        const Doubles *table, double bias, const Doubles *q1, const Doubles *q2, const Doubles *s1,
                        const Doubles *s2) {
    WITH_COUNTS(zeros, slot_sums, AFTER(codes->at, active->at, active->n), product->at, table->at, table->n, bias,
                q1->at, q2->at, s1->at, s2->at);
}

/* Sums s1, s2 of one feature of a lifted rule, over the first rows that `rows_within_one` collected. */
static void feature_sums(const Code *codes, const double *table, int64_t n_slots, double bias, const State *state,
                         int64_t count, double *s1, double *s2) {
    WITH_COUNTS(&state->zeros, slot_sums, AFTER(codes, state->room.at, count), state->product.at, table, n_slots, bias,
                state->q1.at, state->q2.at, s1, s2);
}

/* Sums s1, s2 of several features of a lifted rule, one after the other, for whom the rows are out of reach.

   Returns the most that a condition on a feature not asked about yet can save. */
EXPORT(double, rule_sums)(const Codes *codes, const SlotLayout *layout, const Doubles *table, double bias,
                          const State *state, const Integers *features, const Doubles *s1, const Doubles *s2) {
    Within within = rows_within_one(&state->zeros, state->room.at);
    double *first = NEW(double, 2 * within.covered), *second = first + within.covered;
    double saved = weigh_covered(state->room.at, within.covered, state->product.at, bias, state->q1.at, state->q2.at,
                                 first, second);
    for (int64_t x = 0, at = 0; x < features->n; x++) {
        int64_t j = features->at[x], n_slots = SLOTS(layout, j);
        const double *part = PART(layout, table->at, j);
        if (is_used(part, n_slots))
            feature_sums(ROW(*codes, j), part, n_slots, bias, state, within.count, s1->at + at, s2->at + at);
        else
            covered_sums(ROW(*codes, j), state->room.at, within.covered, first, second, s1->at + at, s2->at + at,
                         n_slots);
        at += n_slots;
    }
    free(first);
    return saved;
}

/* Exchange one feature's table in a lifted rule. */
static void put_table(const Codes *codes, const SlotLayout *layout, double *table, int64_t j, const double *new,
                      const State *state) {
    double *part = PART(layout, table, j);
    int64_t n_slots = SLOTS(layout, j);
    WITH_COUNTS(&state->zeros, replace, AFTER(ROW(*codes, j), part, new, n_slots), state->product.at,
                state->zeros.n);
    memcpy(part, new, (size_t)n_slots * sizeof(double));
}

static void activation(const Counts *zeros, const double *product, double *out) {
    WITH_COUNTS(zeros, activation, , product, out, zeros->n);
}

EXPORT(void, activation)(const Counts *zeros, const Doubles *product, const Doubles *out) {
    activation(zeros, product->at, out->at);
}

static double covered_weight(const State *state, const double *weights) {
    return WITH_COUNTS(&state->zeros, covered_weight, , state->product.at, weights, state->zeros.n);
}

EXPORT(double, covered_weight)(const State *state, const Doubles *weights) {
    return covered_weight(state, weights->at);
}

/* Multiply a rule's factor (1 - a r) into its output's state. Where r is 0 the factor is 1. */
static void add_factor(const double *restrict r, double bias, int32_t *restrict zeros, double *restrict product,
                       int64_t n_rows) {
    for (int64_t n = 0; n < n_rows; n++) {
        double f = 1.0 - bias * r[n];
        zeros[n] += f < ZERO;
        product[n] *= f < ZERO ? 1.0 : f;
    }
}

/* Take a rule's factor (1 - a r) out of its output's state. */
static void remove_factor(const double *restrict r, double bias, int32_t *restrict zeros, double *restrict product,
                          int64_t n_rows) {
    for (int64_t n = 0; n < n_rows; n++) {
        double f = 1.0 - bias * r[n];
        zeros[n] -= f < ZERO;
        product[n] /= f < ZERO ? 1.0 : f;
    }
}

EXPORT(void, add_factor)(const Doubles *r, double bias, const Small *zeros, const Doubles *product) {
    add_factor(r->at, bias, zeros->at, product->at, r->n);
}

EXPORT(void, remove_factor)(const Doubles *r, double bias, const Small *zeros, const Doubles *product) {
    remove_factor(r->at, bias, zeros->at, product->at, r->n);
}

/* q1, q2 of one row, where `rest` is the probability Q that nothing else makes the output hold. */
INLINE void row_quadratic(double target, double weight, double rest, double *q1, double *q2) {
    *q1 = weight * rest * (target - 1.0 + rest);
    *q2 = weight * rest * rest;
}

/* q1, q2 of every row for a rule that has been taken out of its output's state. */
static void quadratic(const float *restrict targets, const double *restrict weights, const int32_t *restrict zeros,
                      const double *restrict product, double output_bias, double *restrict q1, double *restrict q2,
                      int64_t n_rows) {
    for (int64_t n = 0; n < n_rows; n++) {
        double rest = zeros[n] > 0 ? 0.0 : (1.0 - output_bias) * product[n];
        row_quadratic(targets[n], weights[n], rest, q1 + n, q2 + n);
    }
}

EXPORT(void, quadratic)(const Singles *targets, const Doubles *weights, const Small *zeros, const Doubles *product,
                        double output_bias, const Doubles *q1, const Doubles *q2) {
    quadratic(targets->at, weights->at, zeros->at, product->at, output_bias, q1->at, q2->at, targets->n);
}

/* Sums of q1 r and q2 r^2: the error is quadratic in the rule's bias as well. */
static void bias_sums(const double *r, const double *q1, const double *q2, int64_t n_rows, double *first,
                      double *second) {
    *first = *second = 0.0;
    for (int64_t n = 0; n < n_rows; n++) {
        if (r[n] == 0.0) continue;
        *first += q1[n] * r[n];
        *second += q2[n] * r[n] * r[n];
    }
}

EXPORT(void, bias_sums)(const Doubles *r, const Doubles *q1, const Doubles *q2, const Doubles *found) {
    bias_sums(r->at, q1->at, q2->at, r->n, found->at, found->at + 1);
}

/* Sums of (1 - y) N and N^2 with N the product of an output's factors: they give its bias. */
static void output_sums(const float *targets, const double *weights, const int32_t *zeros, const double *product,
                        int64_t n_rows, double *first, double *second) {
    *first = *second = 0.0;
    for (int64_t n = 0; n < n_rows; n++) {
        if (zeros[n] != 0) continue;
        double p = product[n];
        *first += weights[n] * (1.0 - targets[n]) * p;
        *second += weights[n] * p * p;
    }
}

EXPORT(void, output_sums)(const Singles *targets, const Doubles *weights, const Small *zeros, const Doubles *product,
                          const Doubles *found) {
    output_sums(targets->at, weights->at, zeros->at, product->at, targets->n, found->at, found->at + 1);
}

/* Weighted squared error of one output. */
static double squared_error(const float *targets, const double *weights, const int32_t *zeros, const double *product,
                            double output_bias, int64_t n_rows) {
    double found = 0.0;
    for (int64_t n = 0; n < n_rows; n++) {
        double rest = zeros[n] > 0 ? 0.0 : (1.0 - output_bias) * product[n];
        double error = 1.0 - rest - targets[n];
        found += weights[n] * error * error;
    }
    return found;
}

EXPORT(double, squared_error)(const Singles *targets, const Doubles *weights, const Small *zeros,
                              const Doubles *product, double output_bias) {
    return squared_error(targets->at, weights->at, zeros->at, product->at, output_bias, targets->n);
}
