/* Fuzzy intervals whose AND weights are trained, as in the paper: forward and backward.

Interval m of a feature is an AND node over all of its dichotomies s_d, shared by all rules:

    I_m = prod_d t_md        t_md = 1 - [A_md]+ (1 - s_d) - [A_md]- s_d = 1 - [A_md]+ + A_md s_d

Products of all factors but one come from prefixes and suffixes: no division, and zeros are exact. Only the slots that
the rows at hand have are visited. Loops are contiguous in the bins or in the rules. */
#include "exponential.h"
#include "lanes.h"
#include "network.h"

/* Whether a feature enters through intervals whose AND weights are trained. */
INLINE bool has_learned_intervals(const Layout *layout, const Weights *weights, int64_t j) {
    return layout->kinds.at[j] == ORDERED && weights->interval_weights.n > 0;
}

/* Dichotomies of a feature that some interval asks about, or may come to ask about: all where weights move. */
static int64_t used_dichotomies(const Layout *layout, const Weights *weights, const Scratch *scratch, int64_t j,
                                int64_t *found) {
    int64_t n = layout->n_regular.at[j], first = layout->weight_offsets.at[j], count = 0;
    for (int64_t d = 0; d < n - 1; d++) {
        const float *w = ROW(weights->interval_weights, d) + first;
        bool used = scratch->moves_nodes;
        for (int64_t m = 0; m < n && !used; m++) used = w[m] != 0.0f;
        if (used) found[count++] = d;
    }
    return count;
}

/* Bins of a feature that the rows at hand have. */
static int64_t met_bins(const Layout *layout, const Scratch *scratch, int64_t j, int64_t *found) {
    int64_t count = 0;
    for (int64_t v = FIRST_BIN(layout, j); v < LAST_BIN(layout, j); v++)
        if (scratch->is_met.at[v]) found[count++] = v;
    return count;
}

/* Multiply by the factors 1 - [A]+ + A s of one dichotomy at the bins. */
INLINE void multiply_by_dichotomy(float *restrict product, int64_t n_bins, float a, const float *restrict above) {
    if (a == 0.0f) return;
    float constant = 1.0f - MAX(a, 0.0f);
    for (int64_t b = 0; b < n_bins; b++) {
        float p = product[b] * (constant + a * above[b]);
        product[b] = or_nothing(p);
    }
}

/* Dichotomies and intervals of one feature at each of its bins. */
static void learned_values(const Layout *layout, const Weights *weights, Scratch *scratch, int64_t j) {
    int64_t n = layout->n_regular.at[j], first_weight = layout->weight_offsets.at[j];
    int64_t *used = NEW(int64_t, n), *bins = NEW(int64_t, layout->n_bins.at[j]);
    int64_t n_used = used_dichotomies(layout, weights, scratch, j, used);
    int64_t n_bins = met_bins(layout, scratch, j, bins);
    float *restrict above = NEW(float, n_used *n_bins), *restrict product = NEW(float, n_bins);
    for (int64_t x = 0; x < n_used; x++) {
        int64_t i = layout->dichotomy_offsets.at[j] + used[x];
        float *restrict here = above + x * n_bins, alpha = weights->sharpness.at[i], b0 = weights->boundaries.at[i];
        for (int64_t b = 0; b < n_bins; b++) here[b] = layout->positions.at[bins[b]];
        for (int64_t b = 0; b < n_bins; b++) here[b] = single_sigmoid(alpha * (here[b] - b0));
        for (int64_t b = 0; b < n_bins; b++) ROW(scratch->dichotomy, bins[b])[used[x]] = here[b];
    }
    for (int64_t m = 0; m < n; m++) {
        fill_singles(product, n_bins, 1.0f);
        for (int64_t x = 0; x < n_used; x++) {
            float a = ROW(weights->interval_weights, used[x])[first_weight + m];
            multiply_by_dichotomy(product, n_bins, a, above + x * n_bins);
        }
        for (int64_t b = 0; b < n_bins; b++) ROW(scratch->value, bins[b])[m] = product[b];
    }
    free(used);
    free(bins);
    free(above);
    free(product);
}

/* Membership of the OR over the intervals: m = 1 - prod_m (1 - O_m I_m). */
static void learned_memberships(const Layout *layout, const Weights *weights, Scratch *scratch, int64_t j) {
    int64_t n_rules = weights->or_weights.m, first_weight = layout->weight_offsets.at[j];
    for (int64_t v = FIRST_BIN(layout, j); v < LAST_BIN(layout, j); v++) {
        if (!scratch->is_met.at[v]) continue;
        float *restrict none = ROW(scratch->memberships, v);
        fill_singles(none, n_rules, 1.0f);
        for (int64_t m = 0; m < layout->n_regular.at[j]; m++) {
            const float *restrict w = ROW(weights->or_weights, first_weight + m);
            float i = ROW(scratch->value, v)[m];
            if (i > 0.0f)
                for (int64_t r = 0; r < n_rules; r++) none[r] *= 1.0f - w[r] * i;
        }
        for (int64_t r = 0; r < n_rules; r++) none[r] = 1.0f - none[r];
    }
}

/* Gradients of `learned_memberships` for the OR weights and the interval values. */
static void learned_membership_backward(const Layout *layout, const Weights *weights, Scratch *scratch, int64_t j,
                                        Weights *gradient) {
    int64_t n = layout->n_regular.at[j], n_rules = weights->or_weights.m, first = layout->weight_offsets.at[j];
    float *prefix = NEW(float, n *n_rules), *restrict suffix = NEW(float, 2 * n_rules), *restrict g = suffix + n_rules;
    fill_singles(ROW(gradient->or_weights, first), n * n_rules, 0.0f);
    for (int64_t v = FIRST_BIN(layout, j); v < LAST_BIN(layout, j); v++) {
        if (!scratch->is_met.at[v]) continue;
        const float *value = ROW(scratch->value, v);
        fill_singles(prefix, n_rules, 1.0f);
        for (int64_t m = 0; m < n - 1; m++) {
            const float *restrict w = ROW(weights->or_weights, first + m), *restrict last = prefix + m * n_rules;
            float *restrict next = prefix + (m + 1) * n_rules, i = value[m];
            for (int64_t r = 0; r < n_rules; r++) {
                float p = last[r] * (1.0f - w[r] * i);
                next[r] = if_kept(p, p > NOTHING);
            }
        }
        memcpy(suffix, ROW(scratch->g_memberships, v), (size_t)n_rules * sizeof(float));
        for (int64_t m = n - 1; m >= 0; m--) {
            const float *restrict w = ROW(weights->or_weights, first + m), *restrict last = prefix + m * n_rules;
            float *restrict g_or = ROW(gradient->or_weights, first + m), i = value[m];
            for (int64_t r = 0; r < n_rules; r++) {
                g[r] = last[r] * suffix[r];
                g_or[r] += g[r] * i;
                float p = suffix[r] * (1.0f - w[r] * i);
                suffix[r] = or_nothing(p);
            }
            ROW(scratch->g_value, v)[m] = dot(g, w, n_rules);
        }
    }
    free(prefix);
    free(suffix);
}

/* Sums of g s and of g over the bins, with g the gradient of one factor; add its gradient by the dichotomy. */
INLINE void weight_gradient(const float *restrict prefix, const float *restrict suffix, const float *restrict above,
                            float *restrict g_above, float a, int64_t n_bins, float *restrict g, float *left,
                            float *all) {
    for (int64_t b = 0; b < n_bins; b++) {
        g[b] = prefix[b] * suffix[b];
        g_above[b] += g[b] * a;
    }
    *left = dot(g, above, n_bins);
    *all = total(g, n_bins);
}

/* Gradients of the AND weights of one interval, from those of its value at the bins, which are in `suffix`. */
static void interval_weights_backward(const Weights *weights, Weights *gradient, int64_t column, const int64_t *used,
                                      int64_t n_used, int64_t n_bins, const float *above, float *g_above, float *prefix,
                                      float *suffix, float *g) {
    fill_singles(prefix, n_bins, 1.0f);
    for (int64_t x = 0; x < n_used; x++) {
        float *next = prefix + (x + 1) * n_bins;
        memcpy(next, prefix + x * n_bins, (size_t)n_bins * sizeof(float));
        multiply_by_dichotomy(next, n_bins, ROW(weights->interval_weights, used[x])[column], above + x * n_bins);
    }
    for (int64_t x = n_used - 1; x >= 0; x--) {
        float a = ROW(weights->interval_weights, used[x])[column], left, all;
        weight_gradient(prefix + x * n_bins, suffix, above + x * n_bins, g_above + x * n_bins, a, n_bins, g, &left,
                        &all);
        ROW(gradient->interval_weights, used[x])[column] = steeper(a, left - all, left);
        multiply_by_dichotomy(suffix, n_bins, a, above + x * n_bins);
    }
}

/* Gradients of `learned_values` for the AND weights, boundaries and sharpnesses, of all dichotomies that are used.

   `t` has the slope s - 1 to the right of a weight of 0 and s to its left, where the steeper descent counts. */
static void learned_backward(const Layout *layout, const Weights *weights, Scratch *scratch, int64_t j,
                             Weights *gradient) {
    int64_t n = layout->n_regular.at[j], first_weight = layout->weight_offsets.at[j];
    int64_t *used = NEW(int64_t, n), *bins = NEW(int64_t, layout->n_bins.at[j]);
    int64_t n_used = used_dichotomies(layout, weights, scratch, j, used);
    int64_t n_bins = met_bins(layout, scratch, j, bins);
    float *above = NEW(float, n_used *n_bins), *g_above = NEW_ZEROS(float, n_used *n_bins);
    float *prefix = NEW(float, (n_used + 1) * n_bins), *suffix = NEW(float, 2 * n_bins);
    for (int64_t x = 0; x < n_used; x++)
        for (int64_t b = 0; b < n_bins; b++) above[x * n_bins + b] = ROW(scratch->dichotomy, bins[b])[used[x]];
    for (int64_t m = 0; m < n; m++) {
        for (int64_t b = 0; b < n_bins; b++) suffix[b] = ROW(scratch->g_value, bins[b])[m];
        interval_weights_backward(weights, gradient, first_weight + m, used, n_used, n_bins, above, g_above, prefix,
                                  suffix, suffix + n_bins);
    }
    for (int64_t x = 0; x < n_used; x++) {
        int64_t i = layout->dichotomy_offsets.at[j] + used[x];
        float boundary = 0.0f, sharpness = 0.0f;
        for (int64_t b = 0; b < n_bins; b++) {
            float s = above[x * n_bins + b], g = g_above[x * n_bins + b] * s * (1.0f - s);
            boundary += g;
            sharpness += g * (layout->positions.at[bins[b]] - weights->boundaries.at[i]);
        }
        gradient->boundaries.at[i] -= boundary * weights->sharpness.at[i];
        gradient->sharpness.at[i] += sharpness;
    }
    free(used);
    free(bins);
    free(above);
    free(g_above);
    free(prefix);
    free(suffix);
}
