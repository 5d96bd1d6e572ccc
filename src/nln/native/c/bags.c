/* Closed forms over bags: what every condition on one column of the children would select, in one pass.

Row x owns the children first[x] to first[x + 1]. With all other columns of a conjunction fixed, `alive` children satisfy
them. "At least k children with code < t" asks whether the k-th smallest code of the alive children is below t: an ordered
column of the rows, so that sums by its bins answer for every t. For sets of values the counts by value answer for every
set that differs from a given one by a single value. Sums have two places: mass, then hits. */
#include "descent.h"

INLINE void add(double *sums, double mass, double hits) {
    sums[0] += mass;
    sums[1] += hits;
}

/* By the k-th smallest and the k-th largest code of the alive children, (2, most, bins, 2).

   Codes from `n_bins` on are missing and count nowhere; neither do rows with fewer than k alive children. */
EXPORT(void, order_sums)(const Integers *first, const Bytes *codes, const Bytes *alive, const Doubles *mass,
                         const Doubles *hits, int64_t n_bins, int64_t most, const Doubles *sums) {
    int64_t *smallest = NEW(int64_t, most), *largest = NEW(int64_t, most);
    for (int64_t x = 0; x < mass->n; x++) {
        if (mass->at[x] == 0.0) continue;
        int64_t count = 0;
        for (int64_t z = first->at[x]; z < first->at[x + 1]; z++) {
            if (!alive->at[z] || codes->at[z] >= n_bins) continue;
            int64_t low = codes->at[z], high = low, next;
            for (int64_t k = 0; k < MIN(count, most); k++) {
                if (low < smallest[k]) next = smallest[k], smallest[k] = low, low = next;
                if (high > largest[k]) next = largest[k], largest[k] = high, high = next;
            }
            if (count < most) smallest[count] = low, largest[count] = high;
            count++;
        }
        for (int64_t k = 0; k < MIN(count, most); k++) {
            add(sums->at + 2 * (k * n_bins + smallest[k]), mass->at[x], hits->at[x]);
            add(sums->at + 2 * ((most + k) * n_bins + largest[k]), mass->at[x], hits->at[x]);
        }
    }
    free(smallest);
    free(largest);
}

/* Of the rows with at least k alive children in a set of values, (3, values, most, 2).

   The sets are: `inside` with one value taken in or out, one value alone, and all values but one. Codes from `n_values`
   on are missing and in no set. */
EXPORT(void, value_sums)(const Integers *first, const Bytes *codes, const Bytes *alive, const Bytes *inside,
                         const Doubles *mass, const Doubles *hits, int64_t n_values, int64_t most,
                         const Doubles *sums) {
    int64_t *counts = NEW(int64_t, n_values), block = n_values * most * 2;
    for (int64_t x = 0; x < mass->n; x++) {
        if (mass->at[x] == 0.0) continue;
        memset(counts, 0, (size_t)n_values * sizeof *counts);
        int64_t total = 0, within = 0;
        for (int64_t z = first->at[x]; z < first->at[x + 1]; z++) {
            if (!alive->at[z] || codes->at[z] >= n_values) continue;
            counts[codes->at[z]]++;
            total++;
            within += inside->at[codes->at[z]];
        }
        for (int64_t v = 0; v < n_values; v++) {
            int64_t held[3] = {inside->at[v] ? within - counts[v] : within + counts[v], counts[v], total - counts[v]};
            for (int64_t set = 0; set < 3; set++)
                for (int64_t k = 0; k < MIN(held[set], most); k++)
                    add(sums->at + set * block + 2 * (v * most + k), mass->at[x], hits->at[x]);
        }
    }
    free(counts);
}

/* Of the rows with at least k children that both literals select, (most, 2). */
static void count_pair(const Integers *first, const uint8_t *one, const uint8_t *other, const Doubles *mass,
                       const Doubles *hits, int64_t most, double *sums) {
    fill(sums, 2 * most, 0.0);
    for (int64_t x = 0; x < mass->n; x++) {
        if (mass->at[x] == 0.0) continue;
        int64_t count = 0;
        for (int64_t z = first->at[x]; z < first->at[x + 1]; z++) count += one[z] & other[z];
        for (int64_t k = 0; k < MIN(count, most); k++) add(sums + 2 * k, mass->at[x], hits->at[x]);
    }
}

EXPORT(void, count_sums)(const Integers *first, const Bytes *alive, const Doubles *mass, const Doubles *hits,
                         int64_t most, const Doubles *sums) {
    count_pair(first, alive->at, alive->at, mass, hits, most, sums->at);
}

/* What "at least k children with both literals", or fewer, saves at best beyond its price, (literals, literals).

   The `costs` are the literals that each k costs. On the diagonal stand single literals; below it, nothing. Two literals
   of one owner, which cannot both hold, are left out. */
EXPORT(void, pair_gains)(const Integers *first, const Bytes *literals, const Integers *owners, const Doubles *mass,
                         const Doubles *hits, double all, double price, const Doubles *costs, const Doubles *gains) {
    double all_mass = sum(mass->at, mass->n), all_hits = sum(hits->at, hits->n), *sums = NEW(double, 2 * costs->n);
    for (int64_t i = 0; i < literals->n; i++) {
        for (int64_t j = i; j < literals->n; j++) {
            if (i != j && owners->at[i] == owners->at[j]) continue;
            count_pair(first, ROW(*literals, i), ROW(*literals, j), mass, hits, costs->n, sums);
            for (int64_t k = 0; k < costs->n; k++) {
                double m = sums[2 * k], h = sums[2 * k + 1];
                double many = saved_by(m, h, all), few = saved_by(all_mass - m, all_hits - h, all) - 0.5 * price;
                double gain = MAX(many, few) - price * (2.0 + (i != j) + costs->at[k]);
                if (gain > ROW(*gains, i)[j]) ROW(*gains, i)[j] = gain;
            }
        }
    }
    free(sums);
}
