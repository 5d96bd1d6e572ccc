/* Passes of the rule modules: from weights to memberships and look-up tables, and back.

    T_ij[v] = 1 - [A_ij]+ (1 - m_ij[v]) - [A_ij]- m_ij[v]

with m_ij[v] the membership of slot v in rule i's module of feature j. For an ordered feature it is the OR over fuzzy
intervals, each the AND of two neighbouring fuzzy dichotomies. Loops are contiguous in the rules. */
#include "exponential.h"
#include "lanes.h"
#include "network.h"

/* Look-up tables of the rules: T = 1 - [A]+ (1 - m) - [A]- m. */
static void rule_tables(const Layout *layout, const Weights *weights, Scratch *scratch) {
    int64_t n_rules = weights->and_weights.m;
    for (int64_t j = 0; j < weights->and_weights.n; j++) {
        const float *restrict w = ROW(weights->and_weights, j);
        for (int64_t s = layout->slot_offsets.at[j]; s < layout->slot_offsets.at[j + 1]; s++) {
            const float *restrict m = ROW(scratch->memberships, s);
            float *restrict table = ROW(scratch->tables, s);
            for (int64_t r = 0; r < n_rules; r++) {
                float positive = MAX(w[r], 0.0f), negative = MAX(-w[r], 0.0f);
                table[r] = 1.0f - positive * (1.0f - m[r]) - negative * m[r];
            }
        }
    }
}

/* Gradient of an AND weight from its slopes on both sides of 0; at 0 that of the steeper descent.

   Moving right changes the loss by `right`, moving left by `-left`. */
INLINE float steeper(float w, float right, float left) {
    float down_right = MAX(-right, 0.0f), down_left = MAX(left, 0.0f);
    float at_zero = down_right >= down_left ? -down_right : down_left;
    return w > 0.0f ? right : w < 0.0f ? left : at_zero;
}

/* Gradients of `rule_tables`. At a weight of exactly 0 the steeper descent of the two sides counts. */
static void rule_tables_backward(const Layout *layout, const Weights *weights, Scratch *scratch, Weights *gradient) {
    int64_t n_rules = weights->and_weights.m;
    float *restrict right = NEW(float, 2 * n_rules), *restrict left = right + n_rules;
    for (int64_t j = 0; j < weights->and_weights.n; j++) {
        const float *restrict w = ROW(weights->and_weights, j);
        fill_singles(right, n_rules, 0.0f);
        fill_singles(left, n_rules, 0.0f);
        for (int64_t s = layout->slot_offsets.at[j]; s < layout->slot_offsets.at[j + 1]; s++) {
            const float *restrict g = ROW(scratch->g_tables, s), *restrict m = ROW(scratch->memberships, s);
            float *restrict g_m = ROW(scratch->g_memberships, s);
            for (int64_t r = 0; r < n_rules; r++) {
                g_m[r] = g[r] * w[r];
                right[r] += g[r] * (m[r] - 1.0f);
                left[r] += g[r] * m[r];
            }
        }
        float *restrict g_and = ROW(gradient->and_weights, j);
        for (int64_t r = 0; r < n_rules; r++) g_and[r] = steeper(w[r], right[r], left[r]);
    }
    free(right);
}

/* Whether a feature enters through fuzzy intervals, on a line or on a circle. */
INLINE bool has_intervals(const Layout *layout, int64_t j) {
    return layout->kinds.at[j] == ORDERED || layout->kinds.at[j] == CIRCULAR;
}

/* Length of a feature's axis if it is a circle, whose intervals are 1 wide; 0 for a line. */
INLINE float circle_length(const Layout *layout, int64_t j) {
    return layout->kinds.at[j] == CIRCULAR ? (float)layout->n_regular.at[j] : 0.0f;
}

/* From a boundary to a bin, upwards; on a circle of length `turn` between minus and plus half a turn. */
INLINE float distance(float u, float boundary, float turn) {
    float far = u - boundary;
    return turn > 0.0f ? far - turn * floorf(far / turn + 0.5f) : far;
}

/* Fuzzy dichotomies sigma(alpha (u - B)) of one feature and its intervals, within each bin's band.

   The AND of two neighbours is a fuzzy interval: I_m = s_m (1 - s_(m+1)). On a line dichotomies are padded with 1 below
   and 0 above. On a circle each is true on the half circle from its boundary on, and the neighbour of the last one is
   the first. */
static void interval_values(const Layout *layout, const Weights *weights, Scratch *scratch, int64_t j) {
    int64_t n = layout->n_regular.at[j], first_dichotomy = layout->dichotomy_offsets.at[j];
    float turn = circle_length(layout, j);
    for (int64_t v = FIRST_BIN(layout, j); v < LAST_BIN(layout, j); v++) {
        float *dichotomy = ROW(scratch->dichotomy, v), *value = ROW(scratch->value, v);
        int64_t low = scratch->low.at[v], high = scratch->high.at[v];
        for (int64_t m = low; m <= high; m++) {
            if (turn == 0.0f && m == 0)
                dichotomy[m] = 1.0f;
            else if (turn == 0.0f && m == n)
                dichotomy[m] = 0.0f;
            else {
                int64_t d = first_dichotomy + (turn > 0.0f ? m % n : m - 1);
                float far = distance(layout->positions.at[v], weights->boundaries.at[d], turn);
                dichotomy[m] = single_sigmoid(weights->sharpness.at[d] * far);
            }
        }
        for (int64_t m = low; m < high; m++) value[m] = dichotomy[m] * (1.0f - dichotomy[m + 1]);
    }
}

/* First and last interval (exclusive) of each bin whose value is above the threshold: others are not visited. */
static void interval_bands(const Layout *layout, Scratch *scratch, int64_t j, float threshold) {
    int64_t n = layout->n_regular.at[j];
    for (int64_t v = FIRST_BIN(layout, j); v < LAST_BIN(layout, j); v++) {
        const float *value = ROW(scratch->value, v);
        int64_t low = n, high = 0;
        for (int64_t m = 0; m < n; m++) {
            if (value[m] > threshold) {
                low = MIN(low, m);
                high = MAX(high, m + 1);
            }
        }
        scratch->low.at[v] = low < high ? low : 0;
        scratch->high.at[v] = low < high ? high : n;
    }
}

/* Multiply the factors 1 - O_m I_m of some intervals into the products of some rules; `own` are weights of these rules. */
INLINE void multiply_intervals(const float *own, const float *value, int64_t low, int64_t high, int64_t n_rules,
                               Eight *products, int count) {
    for (int64_t m = low; m < high; m++)
        for (int i = 0; i < count; i++) products[i] *= 1.0f - load(own + m * n_rules + 8 * i) * value[m];
}

/* Membership of the OR over the intervals: m = 1 - prod_m (1 - O_m I_m). */
static void interval_memberships(const Layout *layout, const Weights *weights, Scratch *scratch, int64_t j) {
    int64_t n_rules = weights->or_weights.m;
    const float *own = ROW(weights->or_weights, layout->weight_offsets.at[j]);
    for (int64_t v = FIRST_BIN(layout, j); v < LAST_BIN(layout, j); v++) {
        float *membership = ROW(scratch->memberships, v);
        const float *value = ROW(scratch->value, v);
        int64_t low = scratch->low.at[v], high = scratch->high.at[v], r = 0;
        for (; r + TOGETHER <= n_rules; r += TOGETHER) {
            Eight none[VECTORS];
            EACH_VECTOR none[i] = (Eight){0} + 1.0f;
            multiply_intervals(own + r, value, low, high, n_rules, none, VECTORS);
            EACH_VECTOR store(membership + r + 8 * i, 1.0f - none[i]);
        }
        for (; r < n_rules; r++) {
            float none = 1.0f;
            for (int64_t m = low; m < high; m++) none *= 1.0f - own[m * n_rules + r] * value[m];
            membership[r] = 1.0f - none;
        }
    }
}

/* Gradients of `interval_memberships` at one bin for interval m of its band; returns that of the interval's value.

   The gradient of a weight takes the product of the factors 1 - O_q I_q of the other intervals of the band. Sums over the
   rules are in the lanes of `dot`. */
INLINE float one_interval_backward(const float *own, const float *value, int64_t low, int64_t high, int64_t m,
                                   const float *g_m, float *g_or, int64_t n_rules) {
    Eight lanes[2] = {{0}, {0}};
    int64_t r = 0;
    for (; r + TOGETHER <= n_rules; r += TOGETHER) {
        Eight others[VECTORS];
        EACH_VECTOR others[i] = (Eight){0} + 1.0f;
        multiply_intervals(own + r, value, low, m, n_rules, others, VECTORS);
        multiply_intervals(own + r, value, m + 1, high, n_rules, others, VECTORS);
        EACH_VECTOR {
            others[i] *= load(g_m + r + 8 * i);
            store(g_or + r + 8 * i, load(g_or + r + 8 * i) + others[i] * value[m]);
            lanes[i % 2] += others[i] * load(own + m * n_rules + r + 8 * i);
        }
    }
    float terms[2][8] = {{0.0f}, {0.0f}};
    for (; r < n_rules; r++) {
        float others = 1.0f;
        for (int64_t q = low; q < high; q++)
            if (q != m) others *= 1.0f - own[q * n_rules + r] * value[q];
        others *= g_m[r];
        g_or[r] += others * value[m];
        terms[r / 8 % 2][r % 8] = others * own[m * n_rules + r];
        if (r % LANES == LANES - 1 || r == n_rules - 1) {
            for (int i = 0; i < 2; i++) lanes[i] += load(terms[i]);
            memset(terms, 0, sizeof terms);
        }
    }
    return add_lanes(lanes[0] + lanes[1]);
}

/* Gradients of `interval_memberships` for the OR weights and the interval values. */
static void interval_backward(const Layout *layout, const Weights *weights, Scratch *scratch, int64_t j,
                              Weights *gradient) {
    int64_t n_rules = weights->or_weights.m, first_weight = layout->weight_offsets.at[j];
    const float *own = ROW(weights->or_weights, first_weight);
    fill_singles(ROW(gradient->or_weights, first_weight), layout->n_regular.at[j] * n_rules, 0.0f);
    for (int64_t v = FIRST_BIN(layout, j); v < LAST_BIN(layout, j); v++) {
        const float *g_m = ROW(scratch->g_memberships, v), *value = ROW(scratch->value, v);
        int64_t low = scratch->low.at[v], high = scratch->high.at[v];
        for (int64_t m = low; m < high; m++)
            ROW(scratch->g_value, v)[m] = one_interval_backward(
                own, value, low, high, m, g_m, ROW(gradient->or_weights, first_weight + m), n_rules);
    }
}

/* Gradients of `interval_values` for the boundaries and sharpnesses. */
static void dichotomy_backward(const Layout *layout, const Weights *weights, Scratch *scratch, int64_t j,
                               Weights *gradient) {
    int64_t n = layout->n_regular.at[j], first_dichotomy = layout->dichotomy_offsets.at[j];
    float turn = circle_length(layout, j);
    int64_t padded = turn == 0.0f; /* the first and the last dichotomy of a line are no parameters */
    for (int64_t v = FIRST_BIN(layout, j); v < LAST_BIN(layout, j); v++) {
        const float *dichotomy = ROW(scratch->dichotomy, v), *g_value = ROW(scratch->g_value, v);
        int64_t low = scratch->low.at[v], high = scratch->high.at[v];
        for (int64_t m = MAX(low, padded); m <= MIN(high, n - padded); m++) {
            float s = dichotomy[m], g = 0.0f;
            if (m < high) g += g_value[m] * (1.0f - dichotomy[m + 1]); /* s is the lower side of interval m ... */
            if (m > low) g -= g_value[m - 1] * dichotomy[m - 1];       /* ... and the upper side of interval m - 1 */
            int64_t d = first_dichotomy + (turn > 0.0f ? m % n : m - 1);
            g *= s * (1.0f - s);
            gradient->boundaries.at[d] -= g * weights->sharpness.at[d];
            gradient->sharpness.at[d] += g * distance(layout->positions.at[v], weights->boundaries.at[d], turn);
        }
    }
}
