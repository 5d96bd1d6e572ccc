/* Products over the rows for closed-form answers about a whole network, whose weights may all be soft.

Rules may feed several outputs here. With c_ik = W_ik a_i and Q_k(x) = (1 - o_k) times the product of the other rules'
factors (1 - c r), the squared error of all outputs is quadratic in the activation r_i(x):

    q1(x) = w sum_k c_ik Q_k (y_k - 1 + Q_k)        q2(x) = w sum_k (c_ik Q_k)^2        error = q2 r^2 - 2 q1 r + const

`activations` is (rules, rows), `factors` (outputs, rules) holds c. A row's product of an output leaves out the factors
that are zero, which are counted instead; where it becomes too small to be divided, it is computed again. */
#include "descent.h"

#define SMALL_PRODUCT 1e-150

/* Zero factors and product of the others of one output at one row, one rule left out (-1: none). */
static double product_at_row(const Doubles *activations, const double *factors, int64_t n, int64_t left_out,
                             int32_t *zeros) {
    double found = 1.0;
    *zeros = 0;
    for (int64_t r = 0; r < activations->n; r++) {
        if (r == left_out || factors[r] == 0.0) continue;
        double f = 1.0 - factors[r] * ROW(*activations, r)[n];
        if (f < ZERO)
            ++*zeros;
        else
            found *= f;
    }
    return found;
}

/* State of every output at every row, from scratch. */
EXPORT(void, all_products)(const Doubles *activations, const Doubles *factors, const Small *zeros,
                           const Doubles *product) {
    memset(zeros->at, 0, (size_t)(zeros->n * zeros->m) * sizeof(int32_t));
    fill(product->at, product->n * product->m, 1.0);
    for (int64_t k = 0; k < factors->n; k++)
        for (int64_t r = 0; r < activations->n; r++)
            if (ROW(*factors, k)[r] != 0.0)
                add_factor(ROW(*activations, r), ROW(*factors, k)[r], ROW(*zeros, k), ROW(*product, k), activations->m);
}

/* Product of the other rules' factors at some rows, for one output. */
static void rest_of_output(const Doubles *activations, const double *factors, int64_t rule, const int32_t *zeros,
                           const double *product, const Integers *rows, double *rest) {
    double c = factors[rule];
    for (int64_t x = 0; x < rows->n; x++) {
        int64_t n = rows->at[x];
        double f = 1.0 - c * ROW(*activations, rule)[n];
        if (product[n] < SMALL_PRODUCT) {
            int32_t count;
            double value = product_at_row(activations, factors, n, rule, &count);
            rest[x] = count ? 0.0 : value;
        } else if (f < ZERO)
            rest[x] = zeros[n] == 1 ? product[n] : 0.0;
        else
            rest[x] = zeros[n] == 0 ? product[n] / f : 0.0;
    }
}

/* Exchange a rule's factor (1 - c r) of one output at some rows: from c, r = `before`, `old` to `after`, `new`.

   `factors` and `activations` must hold the new numbers already. */
EXPORT(void, exchange_factor)(const Doubles *activations, const Doubles *factors, double before, const Doubles *old,
                              double after, const Doubles *new, const Small *zeros, const Doubles *product,
                              const Integers *rows) {
    for (int64_t x = 0; x < rows->n; x++) {
        int64_t n = rows->at[x];
        if (product->at[n] < SMALL_PRODUCT) {
            product->at[n] = product_at_row(activations, factors->at, n, -1, zeros->at + n);
            continue;
        }
        double f = 1.0 - before * old->at[x], g = 1.0 - after * new->at[x];
        if (f < ZERO)
            zeros->at[n] -= 1;
        else
            product->at[n] /= f;
        if (g < ZERO)
            zeros->at[n] += 1;
        else
            product->at[n] *= g;
    }
}

/* q1, q2 of a rule at some rows, over all outputs it feeds. */
EXPORT(void, rule_quadratic)(const Doubles *activations, const Doubles *factors, int64_t rule, const Small *zeros,
                             const Doubles *product, const Doubles *output_bias, const Doubles *targets,
                             const Doubles *weights, const Integers *rows, const Doubles *q1, const Doubles *q2) {
    double *rest = NEW(double, rows->n);
    fill(q1->at, q1->n, 0.0);
    fill(q2->at, q2->n, 0.0);
    for (int64_t k = 0; k < factors->n; k++) {
        double c = ROW(*factors, k)[rule];
        if (c == 0.0) continue;
        rest_of_output(activations, ROW(*factors, k), rule, ROW(*zeros, k), ROW(*product, k), rows, rest);
        for (int64_t x = 0; x < rows->n; x++) {
            int64_t n = rows->at[x];
            double q = (1.0 - output_bias->at[k]) * rest[x], w = weights->at[n];
            q1->at[x] += w * c * q * (ROW(*targets, k)[n] - 1.0 + q);
            q2->at[x] += w * c * c * q * q;
        }
    }
    free(rest);
}

/* Sums S1, S2 for one output: its error is S2 c^2 - 2 S1 c in the rule's factor c, up to a constant. */
EXPORT(void, output_sums_of_rule)(const Doubles *activations, const Doubles *factors, int64_t rule, const Small *zeros,
                                  const Doubles *product, double output_bias, const Doubles *targets,
                                  const Doubles *weights, const Integers *rows, const Doubles *found) {
    int64_t count = rows->n;
    double *rest = NEW(double, 4 * count), *q1 = rest + count, *q2 = q1 + count, *r = q2 + count;
    rest_of_output(activations, factors->at, rule, zeros->at, product->at, rows, rest);
    for (int64_t x = 0; x < count; x++) {
        int64_t n = rows->at[x];
        row_quadratic(targets->at[n], weights->at[n], (1.0 - output_bias) * rest[x], q1 + x, q2 + x);
        r[x] = ROW(*activations, rule)[n];
    }
    bias_sums(r, q1, q2, count, found->at, found->at + 1);
    free(rest);
}

/* Product of a rule's look-ups in all features but one (-1: in all), at every row. */
EXPORT(void, others_of_rule)(const Codes *codes, const Integers *offsets, const Doubles *table, int64_t feature,
                             const Doubles *others) {
    fill(others->at, others->n, 1.0);
    for (int64_t j = 0; j < codes->n; j++) {
        const double *part = table->at + offsets->at[j];
        const Code *code = ROW(*codes, j);
        if (j == feature || !is_used(part, offsets->at[j + 1] - offsets->at[j])) continue;
        for (int64_t n = 0; n < codes->m; n++) others->at[n] *= part[code[n]];
    }
}

/* Product of (1 - O I) over a rule's intervals at every bin, one interval left out (-1: none).

   `above` holds the dichotomies at the bins, (bins, dichotomies + 2), padded with 1 below and 0 above. */
EXPORT(void, outside_intervals)(const Doubles *above, const Integers *lower, const Integers *upper,
                                const Doubles *regular, int64_t left_out, const Doubles *out) {
    fill(out->at, out->n, 1.0);
    for (int64_t m = 0; m < regular->n; m++) {
        if (m == left_out || regular->at[m] == 0.0) continue;
        for (int64_t v = 0; v < above->n; v++) {
            const double *s = ROW(*above, v);
            out->at[v] *= 1.0 - regular->at[m] * s[lower->at[m]] * (1.0 - s[upper->at[m]]);
        }
    }
}
