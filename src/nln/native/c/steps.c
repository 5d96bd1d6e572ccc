/* Steps of training: Adam, the penalties, and which weights may move. `nln.network.kernels.steps.Steps` says how. */
#include "lanes.h"
#include "network.h"

#define NO_MOMENT 1e-30f
#define EPSILON 1e-8f
#define LEAST_SHARPNESS 1e-5f /* in units of the feature, as in the authors' code */

/* base^exponent by squaring. */
static double power(double base, int64_t exponent) {
    double result = 1.0;
    for (; exponent > 0; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

/* One step of Adam, then the weights are clamped to their domain. */
static void adam(float *restrict weights, const float *restrict gradient, float *restrict first, float *restrict second,
                 int64_t n, float rate, int64_t step, float low, float high, float epsilon) {
    float correct_first = (float)(1.0 / (1.0 - power(0.9, step)));
    float correct_second = (float)(1.0 / (1.0 - power(0.999, step)));
    for (int64_t i = 0; i < n; i++) {
        float g = or_nothing(gradient[i]);
        float m = 0.9f * first[i] + 0.1f * g, v = 0.999f * second[i] + 0.001f * g * g;
        m = if_kept(m, fabsf(m) > NO_MOMENT); /* moments that fade away would become denormal numbers */
        v = if_kept(v, v > NO_MOMENT);
        first[i] = m;
        second[i] = v;
        float moved = weights[i] - rate * m * correct_first / (sqrtf(v * correct_second) + epsilon);
        moved = MAX(moved, low);
        weights[i] = MIN(moved, high);
    }
}

EXPORT(void, adam)(const Singles *weights, const Singles *gradient, const Singles *first, const Singles *second,
                   double rate, int64_t step, double low, double high, double epsilon) {
    int64_t n = weights->n * weights->m * weights->k;
    adam(weights->at, gradient->at, first->at, second->at, n, (float)rate, step, (float)low, (float)high,
         (float)epsilon);
}

/* Nodes whose weights sum to less than 1; at least 1, to divide by. */
static int64_t count_short(const float *sums, int64_t n) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += sums[i] < 1.0f;
    return MAX(count, 1);
}

/* Add the gradients of the L1 and non-empty penalties of the modules' OR nodes; missing weights have none.

   Both are averaged: L1 over the weights, (1 - sum w)^2 for nodes with a sum below 1 over the nodes. */
EXPORT(void, or_penalties)(const Singles *or_weights, const Integers *weight_offsets, const Integers *n_regular,
                           double non_empty, double l1, int64_t by_module, Singles *gradient) {
    int64_t n_rules = or_weights->m, nodes = 0, count = 0;
    for (int64_t j = 0; j < n_regular->n; j++) {
        count += n_regular->at[j] * n_rules;
        nodes += n_regular->at[j] > 0 ? n_rules : 0;
    }
    if (nodes == 0) return;
    float *restrict sums = NEW(float, n_rules), per_weight = (float)(l1 / (double)count);
    float per_node = (float)(non_empty / (double)nodes);
    for (int64_t j = 0; j < n_regular->n; j++) {
        int64_t first = weight_offsets->at[j], last = first + n_regular->at[j];
        fill_singles(sums, n_rules, 0.0f);
        for (int64_t i = first; i < last; i++) {
            const float *restrict w = ROW(*or_weights, i);
            for (int64_t r = 0; r < n_rules; r++) sums[r] += w[r];
        }
        if (by_module && last > first) {
            per_weight = (float)(l1 / (double)(n_regular->at[j] * n_rules));
            per_node = (float)(non_empty / (double)count_short(sums, n_rules));
        }
        for (int64_t i = first; i < last; i++) {
            float *restrict g = ROW(*gradient, i);
            for (int64_t r = 0; r < n_rules; r++) g[r] += per_weight - 2.0f * per_node * MAX(1.0f - sums[r], 0.0f);
        }
    }
    free(sums);
}

/* Gradient g of a weight and that of a penalty on its size, which at 0 only weakens the pull away from it. */
INLINE float pushed(float w, float g, float push) {
    float right = g + push, left = g - push, weaker_right = MAX(left, 0.0f), weaker_left = MIN(right, 0.0f);
    float at_zero = either(push > 0.0f, either(g > 0.0f, weaker_right, weaker_left), g);
    return either(w > 0.0f, right, either(w < 0.0f, left, at_zero));
}

/* Add the gradients of the L1 and non-empty penalties of the rules' AND nodes. */
EXPORT(void, and_penalties)(const Singles *and_weights, const Integers *kinds, double non_empty, double l1,
                            int64_t by_module, Singles *gradient) {
    int64_t n_features = and_weights->n, n_rules = and_weights->m, n_binary = 0;
    float *restrict sums = NEW_ZEROS(float, n_rules);
    for (int64_t j = 0; j < n_features; j++) {
        const float *restrict w = ROW(*and_weights, j);
        n_binary += kinds->at[j] == BINARY;
        for (int64_t r = 0; r < n_rules; r++) sums[r] += fabsf(w[r]);
    }
    float per_node = (float)(non_empty / (double)(by_module ? count_short(sums, n_rules) : n_rules));
    for (int64_t j = 0; j < n_features; j++) {
        int64_t same = kinds->at[j] == BINARY ? n_binary : n_features - n_binary;
        float per_weight = (float)(l1 / (double)((by_module ? same : n_features) * n_rules));
        const float *restrict w = ROW(*and_weights, j);
        float *restrict g = ROW(*gradient, j);
        for (int64_t r = 0; r < n_rules; r++) {
            float push = per_weight - 2.0f * per_node * MAX(1.0f - sums[r], 0.0f);
            g[r] = pushed(w[r], g[r], push);
        }
    }
    free(sums);
}

/* Add the gradients of the L1 and non-empty penalties of the outputs' OR nodes. */
EXPORT(void, output_penalties)(const Singles *output_weights, double non_empty, double l1, int64_t by_module,
                               Singles *gradient) {
    int64_t n_outputs = output_weights->n, n_rules = output_weights->m;
    float *sums = NEW(float, n_outputs);
    for (int64_t k = 0; k < n_outputs; k++) sums[k] = total(ROW(*output_weights, k), n_rules);
    int64_t nodes = by_module ? count_short(sums, n_outputs) : n_outputs;
    float per_weight = (float)(l1 / (double)(n_outputs * n_rules)), per_node = (float)(non_empty / (double)nodes);
    for (int64_t k = 0; k < n_outputs; k++) {
        float push = per_weight - 2.0f * per_node * MAX(1.0f - sums[k], 0.0f), *restrict g = ROW(*gradient, k);
        for (int64_t r = 0; r < n_rules; r++) g[r] += push;
    }
    free(sums);
}

/* Add the gradients of the L1 and non-empty penalties of the intervals' AND nodes.

   `weights` is (dichotomies, OR weights). All intervals are one layer, unless `by_module`: then those of each feature. */
EXPORT(void, interval_penalties)(const Singles *weights, const Layout *layout, double non_empty, double l1,
                                 int64_t by_module, Singles *gradient) {
    int64_t nodes = 0, count = 0, most = 0;
    for (int64_t j = 0; j < layout->kinds.n; j++) {
        int64_t n = layout->n_regular.at[j];
        if (layout->kinds.at[j] != ORDERED) continue;
        nodes += n;
        count += n * (n - 1);
        most = MAX(most, n);
    }
    float *restrict sums = NEW(float, most);
    for (int64_t j = 0; j < layout->kinds.n; j++) {
        int64_t n = layout->n_regular.at[j], first = layout->weight_offsets.at[j];
        if (layout->kinds.at[j] != ORDERED || n < 2) continue;
        fill_singles(sums, n, 0.0f);
        for (int64_t d = 0; d < n - 1; d++)
            for (int64_t m = 0; m < n; m++) sums[m] += fabsf(ROW(*weights, d)[first + m]);
        float per_weight = (float)(l1 / (double)(by_module ? n * (n - 1) : count));
        float per_node = (float)(non_empty / (double)(by_module ? count_short(sums, n) : nodes));
        for (int64_t d = 0; d < n - 1; d++) {
            const float *restrict w = ROW(*weights, d) + first;
            float *restrict g = ROW(*gradient, d) + first;
            for (int64_t m = 0; m < n; m++) {
                float push = per_weight - 2.0f * per_node * MAX(1.0f - sums[m], 0.0f);
                g[m] = pushed(w[m], g[m], push);
            }
        }
    }
    free(sums);
}

/* Weights of one kind with their gradients and moments, from one place on. */
#define ADAM(part, start, count, rate, low, high, epsilon) \
    adam(weights->part.at + (start), gradient->part.at + (start), first->part.at + (start), second->part.at + (start), \
         (count), (rate), step, (low), (high), (epsilon))
#define ADAM_ALL(part, low, high) \
    ADAM(part, 0, weights->part.n * weights->part.m, (float)steps->rate, (low), (high), EPSILON)

/* One step of Adam on boundaries and sharpnesses.

   With x = c + unit u, a step in units of the feature moves B_u by its unit-th part, and alpha_u = unit alpha_x by
   `unit` times as much; Adam's epsilon is in units of the gradient, which scales the other way round. */
static void move_dichotomies(const Layout *layout, Weights *weights, const Weights *gradient, Weights *first,
                             Weights *second, int64_t step, const Steps *steps) {
    float far = 1e6f, rate = (float)steps->rate;
    if (!steps->feature_units) {
        ADAM_ALL(boundaries, -far, far);
        ADAM_ALL(sharpness, 0.1f, far);
        return;
    }
    for (int64_t j = 0; j < layout->kinds.n; j++) {
        int64_t start = layout->dichotomy_offsets.at[j], count = layout->dichotomy_offsets.at[j + 1] - start;
        float unit = layout->units.at[j];
        ADAM(boundaries, start, count, rate / unit, -far, far, EPSILON * unit);
        ADAM(sharpness, start, count, rate * unit, LEAST_SHARPNESS * unit, far, EPSILON / unit);
    }
}

/* One step of Adam on all weights that may move, each clamped to its domain. */
EXPORT(void, adam_all)(const Layout *layout, Weights *weights, Weights *gradient, Weights *first, Weights *second,
                       int64_t step, const Steps *steps) {
    if (steps->nodes) {
        ADAM_ALL(and_weights, (float)steps->low, 1.0f);
        ADAM_ALL(output_weights, 0.0f, 1.0f);
        ADAM_ALL(interval_weights, -1.0f, 1.0f);
    } else {
        for (int64_t j = 0; j < layout->kinds.n; j++) {
            int64_t n_rules = weights->or_weights.m;
            fill_singles(ROW(gradient->or_weights, layout->weight_offsets.at[j]), layout->n_regular.at[j] * n_rules,
                         0.0f);
        }
    }
    if (steps->nodes || steps->missing) ADAM_ALL(or_weights, 0.0f, 1.0f);
    if (steps->biases) {
        ADAM_ALL(rule_bias, 0.0f, 1.0f);
        ADAM_ALL(output_bias, 0.0f, 1.0f);
    }
    if (steps->dichotomies) move_dichotomies(layout, weights, gradient, first, second, step, steps);
}
