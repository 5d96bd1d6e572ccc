/* What a rule would save in each of several contexts if it asked one condition more, for every column.

A context is some of the rows, those where the conditions of a rule hold. Row n has the mass w and the hits
w (y - rate). A condition that leaves the mass m and the hits h to the rule saves what splits these rows from all others,
M being the mass of all:

    h^2 / (m + e) / (1 - m / (M + e))

where e is the evidence against a rule. Of an ordered column the best side of a boundary counts, and missing values are on
neither side; of a bag of values those count where the label is more frequent than in the context. These save something
by chance, the more the more values there are: for each of k values of about equal mass 2/pi p (1 - p), p being how
often the label holds in the context. So much is taken off for every value beyond two. Many bins are joined until each
holds a 32nd of the rows. */
#include "descent.h"

#define JOINED 32 /* bins that a column is joined to, about; a heavy bin stays as it is */

INLINE double side_saves(double mass, double hits, double evidence, double inverse_of_all) {
    return hits <= 0.0 ? 0.0 : hits * hits / ((mass + evidence) * (1.0 - mass * inverse_of_all));
}

/* The best side of a boundary between two bins. */
static double best_side(const double *mass, const double *hits, int64_t n_bins, double evidence,
                        double inverse_of_all) {
    double all_mass = sum(mass, n_bins), all_hits = sum(hits, n_bins), m = 0.0, h = 0.0, best = 0.0;
    for (int64_t v = 0; v + 1 < n_bins; v++) {
        m += mass[v];
        h += hits[v];
        if (m <= 0.0 || m >= all_mass) continue;
        double below = side_saves(m, h, evidence, inverse_of_all);
        double above = side_saves(all_mass - m, all_hits - h, evidence, inverse_of_all);
        best = MAX(best, MAX(below, above));
    }
    return best;
}

/* The values where the label is more frequent than among all of them, less what chance gives to every value. */
static double best_bag(const double *mass, const double *hits, int64_t n_slots, double chance, double evidence,
                       double inverse_of_all) {
    double all_mass = sum(mass, n_slots), rate = sum(hits, n_slots) / MAX(all_mass, 1e-300), m = 0.0, h = 0.0;
    int64_t seen = 0;
    for (int64_t v = 0; v < n_slots; v++) {
        seen += mass[v] > 0.0;
        if (hits[v] <= rate * mass[v]) continue;
        m += mass[v];
        h += hits[v];
    }
    if (seen < 2) return 0.0;
    return side_saves(m, h, evidence, inverse_of_all) - chance * (double)(seen - 2);
}

/* Number of the joined bin of each bin; other slots keep a number of their own. */
static int64_t join_bins(const Code *column, const double *weights, int64_t n_rows, int64_t n_bins, int64_t n_slots,
                         Code *joined) {
    double mass[MOST_SLOTS], all = 0.0, held = 0.0;
    int64_t last = 0;
    fill(mass, n_slots, 0.0);
    for (int64_t n = 0; n < n_rows; n++) mass[column[n]] += weights[n];
    all = sum(mass, n_bins);
    for (int64_t v = 0; v < n_bins; v++) {
        joined[v] = (Code)last;
        held += mass[v];
        if (held * JOINED < all) continue;
        held = 0.0;
        last++;
    }
    int64_t bins = held > 0.0 ? last + 1 : last;
    for (int64_t v = n_bins; v < n_slots; v++) joined[v] = (Code)(bins + v - n_bins);
    return bins;
}

/* `n_bins` is 0 for a bag of values. Context c has the rows from first[c] to first[c + 1]; `saved` is (contexts,
   features). */
EXPORT(void, context_savings)(const Codes *codes, const Integers *n_slots, const Integers *n_bins,
                              const Doubles *weights, const Integers *rows, const Integers *first,
                              const Doubles *row_mass, const Doubles *row_hits, const Doubles *chance,
                              double evidence, double total, const Doubles *saved) {
    double mass[MOST_SLOTS], hits[MOST_SLOTS], inverse_of_all = 1.0 / (total + evidence);
    Code joined[MOST_SLOTS], *own = NEW(Code, codes->m);
    for (int64_t j = 0; j < codes->n; j++) {
        const Code *column = ROW(*codes, j);
        int64_t bins = n_bins->at[j], slots = n_slots->at[j];
        if (bins > JOINED) {
            int64_t others = slots - bins;
            bins = join_bins(column, weights->at, codes->m, bins, slots, joined);
            slots = bins + others;
            for (int64_t n = 0; n < codes->m; n++) own[n] = joined[column[n]];
            column = own;
        }
        for (int64_t c = 0; c + 1 < first->n; c++) {
            fill(mass, slots, 0.0);
            fill(hits, slots, 0.0);
            for (int64_t i = first->at[c]; i < first->at[c + 1]; i++) {
                Code v = column[rows->at[i]];
                mass[v] += row_mass->at[i];
                hits[v] += row_hits->at[i];
            }
            ROW(*saved, c)[j] = bins > 0 ? best_side(mass, hits, bins, evidence, inverse_of_all)
                                         : best_bag(mass, hits, slots, chance->at[c], evidence, inverse_of_all);
        }
    }
    free(own);
}
