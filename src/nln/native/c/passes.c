/* The fused passes of training. Loops are contiguous in the rules.

Shapes: `codes` (rows, features), `tables` and `memberships` (slots, rules), `and_weights` (features, rules),
`or_weights` (weights, rules), `rule_bias` (rules,), `output_weights` (outputs, rules), `output_bias` (outputs,).

    r_i(x) = prod_j T_ij[code_j(x)]                    T_ij[v] = 1 - [A_ij]+ (1 - m_ij[v]) - [A_ij]- m_ij[v]
    y_k(x) = 1 - (1 - o_k) prod_i (1 - W_ik a_i r_i)

Every gradient is compared with the plain NumPy nodes of `nln.network.theory` in the tests. */
#include "lanes.h"
#include "network.h"

#define BAND 1e-5f
#define TINY 1e-6f

/* others[i] = prod_(q != i) factor[q] without division. */
static void products_of_others(const float *factor, float *others, int64_t n) {
    float running = 1.0f;
    for (int64_t i = 0; i < n; i++) {
        others[i] = running;
        running *= factor[i];
    }
    running = 1.0f;
    for (int64_t i = n - 1; i >= 0; i--) {
        others[i] *= running;
        running *= factor[i];
    }
}

/* Room for one row of a batch: where its slots lie in the tables, what each rule and each output passes back. */
typedef struct {
    int64_t *slots;
    float *factor, *g_rule, *joint, *g_joint; /* joint is W a, (outputs, rules) */
} RowRoom;

/* Product of the first j look-ups of a row, for every j from 1 on; that of none is 1. */
INLINE void row_forward(const int64_t *slots, Scratch *scratch) {
    int64_t n_rules = scratch->tables.m, n_features = scratch->prefix.n - 1, r = 0;
    const float *tables = scratch->tables.at;
    for (; r + TOGETHER <= n_rules; r += TOGETHER) {
        float *prefix = scratch->prefix.at + r;
        Eight p[VECTORS];
        EACH_VECTOR p[i] = load(prefix + 8 * i);
        for (int64_t j = 0; j < n_features; j++) {
            const float *table = tables + slots[j] + r;
            prefix += n_rules;
            EACH_VECTOR {
                p[i] = above(p[i] * load(table + 8 * i), NOTHING);
                store(prefix + 8 * i, p[i]);
            }
        }
    }
    for (; r < n_rules; r++)
        for (int64_t j = 0; j < n_features; j++) {
            float p = ROW(scratch->prefix, j)[r] * tables[slots[j] + r];
            ROW(scratch->prefix, j + 1)[r] = if_kept(p, p > NOTHING);
        }
}

/* One output of a row: add the gradients of the rules and of the joint weights; return the weighted squared error. */
INLINE float row_output(const Weights *weights, Scratch *scratch, Weights *gradient, const RowRoom *here, int64_t k,
                        float target, float share) {
    int64_t n_rules = scratch->tables.m, n_features = scratch->prefix.n - 1;
    const float *restrict joint = here->joint + k * n_rules, *restrict rule = ROW(scratch->prefix, n_features);
    float *restrict factor = here->factor, *restrict others = scratch->others.at;
    int32_t tiny = 0;
    for (int64_t r = 0; r < n_rules; r++) factor[r] = 1.0f - joint[r] * rule[r];
    for (int64_t r = 0; r < n_rules; r++) tiny |= factor[r] <= TINY;
    float none = product(factor, n_rules), bias = weights->output_bias.at[k];
    float error = 1.0f - (1.0f - bias) * none - target;
    gradient->output_bias.at[k] += 2.0f * error * share * none;
    float g = 2.0f * error * share * (1.0f - bias);
    if (fabsf(g) < NOTHING) return error * error * share;
    float *restrict g_rule = here->g_rule, *restrict g_joint = here->g_joint + k * n_rules;
    if (tiny) {
        products_of_others(factor, others, n_rules);
        for (int64_t r = 0; r < n_rules; r++) {
            float h = g * others[r];
            g_rule[r] += h * joint[r];
            g_joint[r] += h * rule[r];
        }
        return error * error * share;
    }
    for (int64_t r = 0; r < n_rules; r++) {
        float p = none / factor[r], h = g * if_kept(p, p > NOTHING);
        g_rule[r] += h * joint[r];
        g_joint[r] += h * rule[r];
    }
    return error * error * share;
}

/* From the gradients of the rules at a row to those of its look-ups; the loop carries the product of the later ones. */
INLINE void row_backward(const int64_t *slots, Scratch *scratch, const float *g_rule) {
    int64_t n_rules = scratch->tables.m, n_features = scratch->prefix.n - 1, r = 0;
    const float *tables = scratch->tables.at;
    float *g_tables = scratch->g_tables.at;
    for (; r + TOGETHER <= n_rules; r += TOGETHER) {
        Eight suffix[VECTORS];
        EACH_VECTOR suffix[i] = far_from_zero(load(g_rule + r + 8 * i), NOTHING);
        for (int64_t j = n_features - 1; j >= 0; j--) {
            const float *table = tables + slots[j] + r, *prefix = ROW(scratch->prefix, j) + r;
            float *g_table = g_tables + slots[j] + r;
            EACH_VECTOR {
                store(g_table + 8 * i, load(g_table + 8 * i) + suffix[i] * load(prefix + 8 * i));
                suffix[i] = far_from_zero(suffix[i] * load(table + 8 * i), NOTHING);
            }
        }
    }
    for (; r < n_rules; r++) {
        float suffix = or_nothing(g_rule[r]);
        for (int64_t j = n_features - 1; j >= 0; j--) {
            g_tables[slots[j] + r] += suffix * ROW(scratch->prefix, j)[r];
            suffix = or_nothing(suffix * tables[slots[j] + r]);
        }
    }
}

/* Add the gradients of the weighted mean squared error of some rows; return that error.

   One pass per row with prefix and suffix products, so that there is no division, and zeros are exact. */
static double batch_gradients(const Layout *layout, const Rows *data, const int64_t *rows, int64_t n_rows,
                              const Weights *weights, Scratch *scratch, Weights *gradient) {
    int64_t n_rules = scratch->tables.m, n_outputs = weights->output_weights.n;
    float *all = NEW_ZEROS(float, (2 + 2 * n_outputs) * n_rules);
    RowRoom here = {NEW(int64_t, layout->kinds.n), all, all + n_rules, all + 2 * n_rules,
                    all + (2 + n_outputs) * n_rules};
    fill_singles(scratch->prefix.at, n_rules, 1.0f);
    for (int64_t k = 0; k < n_outputs; k++)
        for (int64_t r = 0; r < n_rules; r++)
            here.joint[k * n_rules + r] = ROW(weights->output_weights, k)[r] * weights->rule_bias.at[r];
    float scale = 1.0f / (float)(n_rows * n_outputs);
    double loss = 0.0;
    for (int64_t x = 0; x < n_rows; x++) {
        int64_t n = rows[x];
        const Code *codes = ROW(data->codes, n);
        for (int64_t j = 0; j < layout->kinds.n; j++)
            here.slots[j] = (layout->slot_offsets.at[j] + codes[j]) * n_rules;
        row_forward(here.slots, scratch);
        fill_singles(here.g_rule, n_rules, 0.0f);
        float share = data->weights.at[n] * scale;
        for (int64_t k = 0; k < n_outputs; k++)
            loss += row_output(weights, scratch, gradient, &here, k, ROW(data->targets, n)[k], share);
        row_backward(here.slots, scratch, here.g_rule);
    }
    for (int64_t k = 0; k < n_outputs; k++) {
        const float *g_joint = here.g_joint + k * n_rules, *w = ROW(weights->output_weights, k);
        for (int64_t r = 0; r < n_rules; r++) {
            gradient->rule_bias.at[r] += g_joint[r] * w[r];
            ROW(gradient->output_weights, k)[r] += g_joint[r] * weights->rule_bias.at[r];
        }
    }
    free(all);
    free(here.slots);
    return loss;
}

/* What each rule gives at one row, its bias included. */
INLINE void activate(const Code *codes, const Integers *slot_offsets, const Singles *tables, const Weights *weights,
                     float *active) {
    int64_t n_rules = tables->m, r = 0;
    const float *bias = weights->rule_bias.at;
    for (; r + TOGETHER <= n_rules; r += TOGETHER) {
        Eight p[VECTORS];
        EACH_VECTOR p[i] = load(bias + r + 8 * i);
        for (int64_t j = 0; j < slot_offsets->n - 1; j++) {
            const float *table = ROW(*tables, slot_offsets->at[j] + codes[j]) + r;
            EACH_VECTOR p[i] = above(p[i] * load(table + 8 * i), NOTHING);
        }
        EACH_VECTOR store(active + r + 8 * i, p[i]);
    }
    for (; r < n_rules; r++) {
        float p = bias[r];
        for (int64_t j = 0; j < slot_offsets->n - 1; j++) {
            p *= ROW(*tables, slot_offsets->at[j] + codes[j])[r];
            p = if_kept(p, p > NOTHING);
        }
        active[r] = p;
    }
}

/* Probability that no rule makes an output hold. */
INLINE float none_of(const Weights *weights, int64_t k, const float *restrict active, float *restrict factor) {
    int64_t n_rules = weights->output_weights.m;
    const float *restrict w = ROW(weights->output_weights, k);
    for (int64_t r = 0; r < n_rules; r++) factor[r] = 1.0f - active[r] * w[r];
    return (1.0f - weights->output_bias.at[k]) * product(factor, n_rules);
}

/* Probability of each output, (rows, outputs). */
EXPORT(void, forward_outputs)(const Codes *codes, const Integers *slot_offsets, const Singles *tables,
                              const Weights *weights, Singles *out) {
    int64_t n_rules = tables->m, n_outputs = weights->output_bias.n;
    float *active = NEW(float, 2 * n_rules), *factor = active + n_rules;
    for (int64_t n = 0; n < codes->n; n++) {
        activate(ROW(*codes, n), slot_offsets, tables, weights, active);
        for (int64_t k = 0; k < n_outputs; k++) ROW(*out, n)[k] = 1.0f - none_of(weights, k, active, factor);
    }
    free(active);
}

/* Weighted mean squared error of some rows. */
EXPORT(double, forward_loss)(const Rows *data, const Integers *rows, const Integers *slot_offsets,
                             const Singles *tables, const Weights *weights) {
    int64_t n_rules = tables->m, n_outputs = weights->output_bias.n;
    double sum_of_errors = 0.0, mass = 0.0;
    float *active = NEW(float, 2 * n_rules), *factor = active + n_rules;
    for (int64_t x = 0; x < rows->n; x++) {
        int64_t n = rows->at[x];
        activate(ROW(data->codes, n), slot_offsets, tables, weights, active);
        for (int64_t k = 0; k < n_outputs; k++) {
            float error = 1.0f - none_of(weights, k, active, factor) - ROW(data->targets, n)[k];
            sum_of_errors += data->weights.at[n] * error * error;
        }
        mass += data->weights.at[n];
    }
    free(active);
    return sum_of_errors / (mass * (double)n_outputs);
}

/* Values of all fuzzy intervals, within each bin's band. */
static void all_intervals(const Layout *layout, const Weights *weights, Scratch *scratch) {
    for (int64_t j = 0; j < layout->kinds.n; j++) {
        if (has_learned_intervals(layout, weights, j))
            learned_values(layout, weights, scratch, j);
        else if (has_intervals(layout, j))
            interval_values(layout, weights, scratch, j);
    }
}

/* Find the band of intervals that matter at each bin of every ordered feature: those above the threshold.

   Where their AND weights are trained, all matter: an interval that is 0 still passes a gradient to what makes it 0. */
EXPORT(void, all_bands)(const Layout *layout, const Weights *weights, Scratch *scratch, double threshold) {
    memset(scratch->is_met.at, 1, (size_t)scratch->is_met.n);
    for (int64_t j = 0; j < layout->kinds.n; j++) {
        if (has_learned_intervals(layout, weights, j))
            learned_values(layout, weights, scratch, j);
        else if (has_intervals(layout, j)) {
            for (int64_t v = FIRST_BIN(layout, j); v < LAST_BIN(layout, j); v++) {
                scratch->low.at[v] = 0;
                scratch->high.at[v] = layout->n_regular.at[j];
            }
            interval_values(layout, weights, scratch, j);
            interval_bands(layout, scratch, j, (float)threshold);
        }
    }
}

/* Copy some rows of one matrix to those of another with as many columns. */
#define COPY_ROWS(to, i, from, k, count) \
    memcpy(ROW(to, i), ROW(from, k), (size_t)((count) * (to).m) * sizeof(float))

/* Membership of every slot in every rule's module of its feature, then the look-up tables. */
EXPORT(void, all_memberships)(const Layout *layout, const Weights *weights, Scratch *scratch) {
    int64_t n_rules = scratch->memberships.m;
    for (int64_t j = 0; j < layout->kinds.n; j++) {
        int64_t first = layout->slot_offsets.at[j], stop = layout->slot_offsets.at[j + 1];
        int64_t weight = layout->weight_offsets.at[j], last = first + layout->n_bins.at[j];
        if (layout->kinds.at[j] == BINARY) {
            fill_singles(ROW(scratch->memberships, first), n_rules, 0.0f);
            fill_singles(ROW(scratch->memberships, first + 1), n_rules, 1.0f);
            continue;
        }
        if (layout->kinds.at[j] == VALUES) {
            COPY_ROWS(scratch->memberships, first, weights->or_weights, weight, stop - first);
            continue;
        }
        if (has_learned_intervals(layout, weights, j))
            learned_memberships(layout, weights, scratch, j);
        else if (has_intervals(layout, j))
            interval_memberships(layout, weights, scratch, j);
        else /* a probability: the value itself */
            for (int64_t s = first; s < last; s++)
                fill_singles(ROW(scratch->memberships, s), n_rules, layout->positions.at[s]);
        if (last < stop) /* the missing slot has a weight of its own */
            COPY_ROWS(scratch->memberships, last, weights->or_weights, weight + layout->n_regular.at[j], 1);
    }
    rule_tables(layout, weights, scratch);
}

/* From the gradients of the tables to those of the AND weights, OR weights, boundaries and sharpnesses. */
static void all_memberships_backward(const Layout *layout, const Weights *weights, Scratch *scratch,
                                     Weights *gradient) {
    rule_tables_backward(layout, weights, scratch, gradient);
    for (int64_t j = 0; j < layout->kinds.n; j++) {
        int64_t first = layout->slot_offsets.at[j], stop = layout->slot_offsets.at[j + 1];
        int64_t weight = layout->weight_offsets.at[j], last = first + layout->n_bins.at[j];
        if (layout->kinds.at[j] == BINARY) continue;
        if (layout->kinds.at[j] == VALUES) {
            COPY_ROWS(gradient->or_weights, weight, scratch->g_memberships, first, stop - first);
            continue;
        }
        if (has_learned_intervals(layout, weights, j)) {
            if (scratch->moves_nodes || scratch->moves_dichotomies) {
                learned_membership_backward(layout, weights, scratch, j, gradient);
                learned_backward(layout, weights, scratch, j, gradient);
            }
        } else if (has_intervals(layout, j)) {
            interval_backward(layout, weights, scratch, j, gradient);
            dichotomy_backward(layout, weights, scratch, j, gradient);
        }
        if (last < stop)
            COPY_ROWS(gradient->or_weights, weight + layout->n_regular.at[j], scratch->g_memberships, last, 1);
    }
}

/* Mark the slots that some of the rows have: the tables of no others are needed. */
static void meet(const Layout *layout, const Rows *data, const int64_t *rows, int64_t n_rows, Scratch *scratch) {
    memset(scratch->is_met.at, 0, (size_t)scratch->is_met.n);
    for (int64_t x = 0; x < n_rows; x++)
        for (int64_t j = 0; j < data->codes.m; j++)
            scratch->is_met.at[layout->slot_offsets.at[j] + ROW(data->codes, rows[x])[j]] = 1;
}

#define ZERO_ALL(array) fill_singles((array).at, (array).n * (array).m, 0.0f)

/* Mean squared error of some rows and its gradients for all weights (written, not added). */
static double batch(const Layout *layout, const Rows *data, const int64_t *rows, int64_t n_rows,
                    const Weights *weights, Scratch *scratch, Weights *gradient) {
    if (weights->interval_weights.n > 0) meet(layout, data, rows, n_rows, scratch);
    ZERO_ALL(gradient->interval_weights);
    all_intervals(layout, weights, scratch);
    JOIN(LEVEL, all_memberships)(layout, weights, scratch);
    ZERO_ALL(scratch->g_tables);
    ZERO_ALL(gradient->rule_bias);
    ZERO_ALL(gradient->output_weights);
    ZERO_ALL(gradient->output_bias);
    ZERO_ALL(gradient->boundaries);
    ZERO_ALL(gradient->sharpness);
    double loss = batch_gradients(layout, data, rows, n_rows, weights, scratch, gradient);
    all_memberships_backward(layout, weights, scratch, gradient);
    return loss;
}

EXPORT(double, loss_and_gradients)(const Layout *layout, const Rows *data, const Integers *rows,
                                   const Weights *weights, Scratch *scratch, Weights *gradient) {
    return batch(layout, data, rows->at, rows->n, weights, scratch, gradient);
}

/* All mini-batches of one epoch: gradients, penalties, Adam, clamping. Returns the mean loss. */
EXPORT(double, run_epoch)(const Layout *layout, const Rows *data, const Integers *order, int64_t batch_size,
                          Weights *weights, Weights *gradient, Weights *first, Weights *second, Scratch *scratch,
                          int64_t step, const Steps *steps) {
    double sum_of_losses = 0.0, non_empty = steps->non_empty, l1 = steps->l1;
    int64_t by_module = steps->by_module;
    JOIN(LEVEL, all_bands)(layout, weights, scratch, BAND);
    for (int64_t start = 0; start < order->n; start += batch_size) {
        int64_t count = MIN(batch_size, order->n - start);
        sum_of_losses += (double)count * batch(layout, data, order->at + start, count, weights, scratch, gradient);
        if (steps->nodes) {
            JOIN(LEVEL, or_penalties)(&weights->or_weights, &layout->weight_offsets, &layout->n_regular, non_empty, l1,
                                      by_module, &gradient->or_weights);
            JOIN(LEVEL, and_penalties)(&weights->and_weights, &layout->kinds, non_empty, l1, by_module,
                                       &gradient->and_weights);
            JOIN(LEVEL, output_penalties)(&weights->output_weights, non_empty, l1, by_module,
                                          &gradient->output_weights);
            if (weights->interval_weights.n > 0)
                JOIN(LEVEL, interval_penalties)(&weights->interval_weights, layout, non_empty, l1, by_module,
                                                &gradient->interval_weights);
        }
        step++;
        JOIN(LEVEL, adam_all)(layout, weights, gradient, first, second, step, steps);
    }
    return sum_of_losses / (double)order->n;
}
