/* Soft conditions on bags of children, and their gradients.

Unit u asks for at least k children of a row that satisfy a conjunction. A child z satisfies it with probability

    c_u(z) = prod_j T_uj[code_j(z)]        E_u(x) = P(at least k of the children of x)

The chance that exactly m of the children so far satisfy it, d[m], follows child by child: d[m] (1 - c) + d[m - 1] c. So
E = 1 - d[0] - ... - d[k - 1]; with k = 1 that is an OR node with shared weights, which an empty bag fails. dE/dc(z) is
the chance that exactly k - 1 of the others do, from the chances of the children before z and of those after it:
nothing is divided. Loops are contiguous in the units; codes are (children, features), tables (slots, units). */
#include "arrays.h"

/* The chances that exactly 0 to k - 1 children satisfy the conjunction, with one child more; may be in place. */
INLINE void one_more(const double *before, const double *held, int64_t k, int64_t n, double *after) {
    for (int64_t m = k - 1; m > 0; m--)
        for (int64_t u = 0; u < n; u++)
            after[m * n + u] = before[m * n + u] * (1.0 - held[u]) + before[(m - 1) * n + u] * held[u];
    for (int64_t u = 0; u < n; u++) after[u] = before[u] * (1.0 - held[u]);
}

/* The chances before the first child: none satisfies it. */
INLINE void no_children(double *chances, int64_t k, int64_t n) {
    fill(chances, k * n, 0.0);
    fill(chances, n, 1.0);
}

/* Fills `held`, (children, units), with c, and `found`, (rows, units), with E. */
EXPORT(void, soft_counts)(const Integers *first, const Codes *codes, const Integers *offsets, const Doubles *tables,
                          int64_t k, const Doubles *held, const Doubles *found) {
    int64_t n = tables->m;
    double *chances = NEW(double, k * n);
    for (int64_t x = 0; x < found->n; x++) {
        no_children(chances, k, n);
        for (int64_t z = first->at[x]; z < first->at[x + 1]; z++) {
            double *restrict c = ROW(*held, z);
            fill(c, n, 1.0);
            for (int64_t j = 0; j < codes->m; j++) {
                const double *restrict table = ROW(*tables, offsets->at[j] + ROW(*codes, z)[j]);
                for (int64_t u = 0; u < n; u++) c[u] *= table[u];
            }
            one_more(chances, c, k, n, chances);
        }
        double *restrict e = ROW(*found, x);
        fill(e, n, 1.0);
        for (int64_t m = 0; m < k; m++)
            for (int64_t u = 0; u < n; u++) e[u] -= chances[m * n + u];
    }
    free(chances);
}

/* Adds the gradient of a child's tables, given that of its c: the product of the other columns, from both sides. */
static void table_gradients(const uint8_t *codes, int64_t n_features, const Integers *offsets, const Doubles *tables,
                            double *restrict right, double *left, const Doubles *gradient) {
    int64_t n = tables->m;
    fill(left, n, 1.0);
    for (int64_t j = 0; j < n_features - 1; j++) {
        const double *restrict table = ROW(*tables, offsets->at[j] + codes[j]);
        for (int64_t u = 0; u < n; u++) left[(j + 1) * n + u] = left[j * n + u] * table[u];
    }
    for (int64_t j = n_features - 1; j >= 0; j--) {
        const double *restrict table = ROW(*tables, offsets->at[j] + codes[j]), *restrict rest = left + j * n;
        double *restrict g = ROW(*gradient, offsets->at[j] + codes[j]);
        for (int64_t u = 0; u < n; u++) {
            g[u] += rest[u] * right[u];
            right[u] *= table[u];
        }
    }
}

/* Adds to `gradient`, (slots, units), that of the tables, from `slopes`, (rows, units), that of E. */
EXPORT(void, soft_count_gradients)(const Integers *first, const Codes *codes, const Integers *offsets,
                                   const Doubles *tables, int64_t k, const Doubles *held, const Doubles *slopes,
                                   const Doubles *gradient) {
    int64_t n = tables->m, largest = 0;
    for (int64_t x = 0; x < slopes->n; x++) largest = MAX(largest, first->at[x + 1] - first->at[x]);
    double *before = NEW(double, (largest + 1) * k * n), *after = NEW(double, k * n);
    double *slope = NEW(double, n), *left = NEW(double, MAX(codes->m, 1) * n);
    for (int64_t x = 0; x < slopes->n; x++) {
        int64_t begin = first->at[x], size = first->at[x + 1] - begin;
        no_children(before, k, n);
        no_children(after, k, n);
        for (int64_t z = 0; z < size; z++)
            one_more(before + z * k * n, ROW(*held, begin + z), k, n, before + (z + 1) * k * n);
        for (int64_t z = size - 1; z >= 0; z--) {
            fill(slope, n, 0.0);
            for (int64_t m = 0; m < k; m++)
                for (int64_t u = 0; u < n; u++)
                    slope[u] += before[(z * k + m) * n + u] * after[(k - 1 - m) * n + u];
            for (int64_t u = 0; u < n; u++) slope[u] *= ROW(*slopes, x)[u];
            table_gradients(ROW(*codes, begin + z), codes->m, offsets, tables, slope, left, gradient);
            one_more(after, ROW(*held, begin + z), k, n, after);
        }
    }
    free(before);
    free(after);
    free(slope);
    free(left);
}
