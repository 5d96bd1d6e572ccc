/* The best region of a column in a context: one histogram of the rows, then all intervals of its bins.

A context says what a rule on some rows would save. Each row has a mass m and hits h, and a region of the column saves
h^2 / (m + 1/2), h and m being sums over its rows. In the place of a rule's conditions, m = w q2 r^2 and h = w q1 r, where
r is the rest of the rule. For the only rule of an output, m = w and h = w (y - mean(y)); the output's bias then takes
over the other rows, so that the region saves what a split saves: the gain is divided by 1 - m / total. */
#include "descent.h"

#define PSEUDO_MASS 0.5

/* A region of the bins first..last, or all others unless `inside`, and what it saves beyond its price. */
typedef struct {
    double gain;
    int64_t first, last;
    bool inside;
} Region;

INLINE double saved_by(double mass, double hits, double all) {
    if (hits <= 0.0) return 0.0;
    return hits * hits / (mass + PSEUDO_MASS) / (1.0 - mass / (all + PSEUDO_MASS));
}

/* Whether a region surely saves no more than a limit, without a division; the margin is far above rounding errors. */
INLINE bool saves_less(double mass, double hits, double inverse_of_all, double limit) {
    return hits <= 0.0 || hits * hits < 0.999999 * limit * (mass + PSEUDO_MASS) * (1.0 - mass * inverse_of_all);
}

/* Best interval of the bins, or all but one.

   `all` is the mass of all rows for the only rule of an output, and infinite in the place of a rule's conditions. */
static Region best_region(const double *mass, const double *hits, int64_t n_bins, double all, double price,
                          double extra) {
    Region best = {0.0, -1, -1, true};
    double all_mass = sum(mass, n_bins), all_hits = sum(hits, n_bins), inverse_of_all = 1.0 / (all + PSEUDO_MASS);
    for (int64_t low = 0; low < n_bins; low++) {
        double m = 0.0, h = 0.0;
        for (int64_t high = low; high < n_bins; high++) {
            m += mass[high];
            h += hits[high];
            int ends = (low > 0) + (high < n_bins - 1);
            if (ends == 0) continue;
            double limit = best.gain + price * (ends + extra);
            if (saves_less(m, h, inverse_of_all, limit) &&
                saves_less(all_mass - m, all_hits - h, inverse_of_all, limit))
                continue;
            double within = saved_by(m, h, all), without = saved_by(all_mass - m, all_hits - h, all);
            double gain = MAX(within, without) - price * (ends + extra);
            if (gain > best.gain) best = (Region){gain, low, high, within >= without};
        }
    }
    return best;
}

EXPORT(double, best_region)(const Doubles *mass, const Doubles *hits, int64_t n_bins, double all, double price,
                            double extra, const Integers *found) {
    Region best = best_region(mass->at, hits->at, n_bins, all, price, extra);
    found->at[0] = best.first;
    found->at[1] = best.last;
    found->at[2] = best.inside;
    return best.gain;
}

/* Mass and hits of each slot of a column, whose codes are of any width. */
#define HISTOGRAM(name, type) \
    static void name(const type *codes, int64_t n_rows, int64_t n_slots, const double *row_mass, \
                     const double *row_hits, double *mass, double *hits) { \
        fill(mass, n_slots, 0.0); \
        fill(hits, n_slots, 0.0); \
        for (int64_t n = 0; n < n_rows; n++) { \
            mass[codes[n]] += row_mass[n]; \
            hits[codes[n]] += row_hits[n]; \
        } \
    }
HISTOGRAM(histogram, uint8_t)
HISTOGRAM(histogram_of_slots, Code)

EXPORT(void, histogram)(const Codes *codes, const Doubles *row_mass, const Doubles *row_hits, const Doubles *mass,
                        const Doubles *hits) {
    histogram_of_slots(codes->at, codes->n, mass->n, row_mass->at, row_hits->at, mass->at, hits->at);
}

/* What the best region of each column saves in each context, (columns, contexts). */
EXPORT(void, region_gains)(const Bytes *codes, const Integers *n_bins, const Doubles *row_mass,
                           const Doubles *row_hits, double all, double price, const Doubles *extra,
                           const Doubles *gains) {
    double mass[MOST_SLOTS], hits[MOST_SLOTS];
    for (int64_t k = 0; k < row_mass->n; k++) {
        for (int64_t c = 0; c < codes->n; c++) {
            int64_t bins = n_bins->at[c];
            histogram(ROW(*codes, c), codes->m, bins + 1, ROW(*row_mass, k), ROW(*row_hits, k), mass, hits);
            ROW(*gains, c)[k] = best_region(mass, hits, bins, all, price, extra->at[c]).gain;
        }
    }
}

/* What the best region of the count `base + literal` saves for each literal, and whether it is a true count.

   `size` is the number of members with the literal. A region that is "all" or "any" is an AND or an OR, no count. */
EXPORT(void, count_gains)(const Bytes *base, const Bytes *held, const Doubles *row_mass, const Doubles *row_hits,
                          double all, double price, const Doubles *extra, int64_t size, const Doubles *gains,
                          const Bytes *is_true) {
    double mass[MOST_SLOTS], hits[MOST_SLOTS];
    uint8_t *codes = NEW(uint8_t, base->n);
    for (int64_t c = 0; c < held->n; c++) {
        const uint8_t *literal = ROW(*held, c);
        for (int64_t n = 0; n < base->n; n++) codes[n] = (uint8_t)(base->at[n] + literal[n]);
        histogram(codes, base->n, size + 1, row_mass->at, row_hits->at, mass, hits);
        Region best = best_region(mass, hits, size + 1, all, price, extra->at[c]);
        int64_t lowest = 2; /* the lowest count above the only boundary */
        if (best.last == size)
            lowest = best.first;
        else if (best.first == 0)
            lowest = best.last + 1;
        gains->at[c] = best.gain;
        is_true->at[c] = size >= 3 && best.first >= 0 && 2 <= lowest && lowest < size;
    }
    free(codes);
}
