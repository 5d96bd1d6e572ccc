/* The best union of arcs of a periodic feature, the best use of a probability, and where boundaries lie in flat zones:
   exact. */
#include "descent.h"

/* Move each boundary of the crisp table `out` to the middle of the bins around it whose gain is 0, in place. */
static void centre_boundaries(const double *gain, int64_t n_bins, const double *axis, double *out) {
    int64_t v = 1;
    while (v < n_bins) {
        if (out[v] == out[v - 1]) {
            v++;
            continue;
        }
        int64_t first = v, last = v; /* the boundary may lie below any slot of first..last */
        while (first > 1 && gain[first - 1] == 0.0 && out[first - 1] == out[v - 1] && out[first - 2] == out[v - 1])
            first--;
        while (last < n_bins - 1 && gain[last] == 0.0 && out[last] == out[v] && out[last + 1] == out[v]) last++;
        double middle = 0.5 * (axis[first - 1] + axis[last]);
        int64_t best = first;
        for (int64_t b = first; b <= last; b++) {
            double here = fabs(0.5 * (axis[b - 1] + axis[b]) - middle);
            if (here < fabs(0.5 * (axis[best - 1] + axis[best]) - middle)) best = b;
        }
        double lower = out[v - 1], upper = out[v];
        for (int64_t b = first - 1; b <= last; b++) out[b] = b < best ? lower : upper;
        v = last + 1;
    }
}

/* Centre the boundaries of a circle: cut it open at a bin with evidence, which no boundary moves over. */
static void centre_circle(const double *gain, int64_t n_bins, double *out) {
    int64_t cut = 0;
    while (cut < n_bins && gain[cut] == 0.0) cut++;
    if (cut == n_bins) return;
    double line[MOST_SLOTS + 1], places[MOST_SLOTS + 1], bins[MOST_SLOTS + 1];
    for (int64_t v = 0; v <= n_bins; v++) {
        line[v] = gain[(cut + v) % n_bins];
        places[v] = (double)v;
        bins[v] = out[(cut + v) % n_bins];
    }
    centre_boundaries(line, n_bins + 1, places, bins);
    for (int64_t v = 0; v < n_bins; v++) out[(cut + v) % n_bins] = bins[v];
}

/* The whole circle, which costs a literal, or nothing of it. Returns its cost. */
static double all_or_nothing(const double *gain, int64_t n_bins, double price, double *out) {
    double cost = price - sum(gain, n_bins);
    fill(out, n_bins, cost < 0.0 ? 1.0 : 0.0);
    return MIN(0.0, cost);
}

/* Best arcs whose first bin is outside (`start` 0) or inside (1), with at least two boundaries.

   The states are: not left the first state yet, in the other one, back in the first. */
static double arcs_from(const double *gain, int64_t n_bins, double price, int start, double *out) {
    int8_t came[MOST_SLOTS][3];
    double stayed = -gain[0] * start, other = INFINITY, back = INFINITY;
    for (int64_t v = 1; v < n_bins; v++) {
        double same = -gain[v] * start, opposite = -gain[v] * (1 - start);
        came[v][0] = 0;
        came[v][1] = 1;
        came[v][2] = 2;
        double from_first = MIN(stayed, back) + price;
        if (from_first < other) came[v][1] = stayed <= back ? 0 : 2;
        if (other + price < back) came[v][2] = 1;
        double next = MIN(from_first, other) + opposite, to_back = other + price;
        back = MIN(to_back, back) + same;
        other = next;
        stayed += same;
    }
    double cost = other + price;
    int state = cost <= back ? 1 : 2;
    cost = MIN(cost, back);
    for (int64_t v = n_bins - 1; v >= 0; v--) {
        out[v] = state == 1 ? 1 - start : start;
        state = came[v][state];
    }
    return cost;
}

/* Best union of arcs of a circle of bins by Viterbi passes, a price for each boundary. Returns its cost.

   One pass for each state of the first bin, which it must leave and which the last bin must meet: a boundary between the
   two costs as any other. Nothing inside costs nothing; the whole circle means `not missing`, which costs a literal. Each
   boundary is then put in the middle of the flat zone around it, counted in bins. */
static double best_arcs(const double *gain, int64_t n_bins, double price, double *out) {
    double best = all_or_nothing(gain, n_bins, price, out), trial[MOST_SLOTS];
    for (int start = 0; start < 2; start++) {
        double cost = arcs_from(gain, n_bins, price, start, trial);
        if (cost < best) {
            best = cost;
            memcpy(out, trial, (size_t)n_bins * sizeof(double));
        }
    }
    centre_circle(gain, n_bins, out);
    return best;
}

/* Best single arc, a price for each of its two boundaries, the whole circle or nothing. Returns its cost. */
static double best_arc(const double *gain, int64_t n_bins, double price, double *out) {
    double best = all_or_nothing(gain, n_bins, price, out);
    int64_t first = 0, length = 0;
    for (int64_t begin = 0; begin < n_bins; begin++) {
        double inside = 0.0;
        for (int64_t size = 1; size < n_bins; size++) {
            inside += gain[(begin + size - 1) % n_bins];
            if (2.0 * price - inside < best) {
                best = 2.0 * price - inside;
                first = begin;
                length = size;
            }
        }
    }
    if (length > 0)
        for (int64_t v = 0; v < n_bins; v++) out[v] = (v - first + n_bins) % n_bins < length ? 1.0 : 0.0;
    centre_circle(gain, n_bins, out);
    return best;
}

EXPORT(double, best_arcs)(const Doubles *gain, int64_t n_bins, double price, const Doubles *out) {
    return best_arcs(gain->at, n_bins, price, out->at);
}

EXPORT(double, best_arc)(const Doubles *gain, int64_t n_bins, double price, const Doubles *out) {
    return best_arc(gain->at, n_bins, price, out->at);
}

/* Best use of a probability: its value 1 or 0 asked for, `not missing`, or never. Returns its cost.

   `chances` holds the probability of the value 1 in each bin; the table is that, or 1 minus it. */
static double best_chance(const double *s1, const double *s2, int64_t n_known, double price, const double *chances,
                          double *out) {
    double yes = price, no = price, every = price;
    for (int64_t v = 0; v < n_known; v++) {
        double p = chances[v];
        yes += s2[v] * p * p - 2.0 * s1[v] * p;
        no += s2[v] * (1.0 - p) * (1.0 - p) - 2.0 * s1[v] * (1.0 - p);
        every += s2[v] - 2.0 * s1[v];
    }
    double best = MIN(0.0, yes);
    best = MIN(best, no);
    best = MIN(best, every);
    for (int64_t v = 0; v < n_known; v++) {
        double p = chances[v];
        out[v] = best == 0.0 ? 0.0 : best == yes ? p : best == no ? 1.0 - p : 1.0;
    }
    return best;
}
