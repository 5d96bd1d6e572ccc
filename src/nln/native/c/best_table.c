/* The best thing a rule can ask of one feature, given the closed-form sums: exact.

The objective is the squared error plus a price for each literal: a listed value, a boundary, an `or missing`, a `not
missing`; a negation (`!=`, `not in`) costs `negation` literals more, infinitely many where the language forbids it.
Ties fall to the shorter condition, and values without evidence fall on its side. */
#include "descent.h"

/* Length of the condition that a table stands for, entries above one half being in.

   `missing` and `not missing` have length 1; a contradiction, for which the rule is dropped, has length 0. */
static double literals(const double *table, Kind kind, double negation) {
    bool asked = false, possible = false;
    double n_known = (double)kind.n_known, inside = 0.0, boundaries = 0.0, count;
    for (int64_t v = 0; v < kind.n_known + kind.has_other; v++) {
        asked = asked || table[v] != 1.0;
        possible = possible || table[v] > 0.0;
    }
    for (int64_t v = 0; v < kind.n_known; v++) {
        inside += table[v] > 0.5;
        boundaries += v > 0 && (table[v] > 0.5) != (table[v - 1] > 0.5);
    }
    if (kind.ordered == CIRCLE) /* the last bin meets the first */
        boundaries += (table[0] > 0.5) != (table[kind.n_known - 1] > 0.5);
    if (kind.ordered == CHANCE)
        count = 1.0;
    else if (kind.ordered)
        count = boundaries;
    else if (kind.has_other) /* rare and unseen values belong to `not in` */
        count = table[kind.n_known] > 0.5 ? n_known - inside + negation : inside;
    else
        count = MIN(inside, n_known - inside + negation);
    count = asked ? MAX(count, 1.0) : 1.0;
    if (!possible) count = 0.0;
    if (!kind.has_missing) return asked ? count : 0.0;
    double missing = table[kind.n_known + kind.has_other];
    if (!asked && missing == 1.0) return 0.0;
    return count + (missing > 0.0);
}

/* Whether some of the first slots is neither in nor out. */
static bool is_soft(const double *table, int64_t n_slots) {
    for (int64_t v = 0; v < n_slots; v++)
        if (ZERO < table[v] && table[v] < 1.0 - ZERO) return true;
    return false;
}

/* Best value set of a categorical feature: members listed, or exceptions listed. Returns its cost.

   gain[v] = 2 s1[v] - s2[v] is what having v in is worth. Listing the members, v is in iff gain > price; listing the
   exceptions, v is out iff gain < -price. If no exception is worth its price, the worst value may still be one, because
   the alternative, `not missing`, costs a literal as well. */
static double best_values(const double *gain, int64_t n_known, int64_t has_other, double price, double negation,
                          double *out) {
    double listed = 0.0, excluded = 0.0;
    int64_t n_excluded = 0, worst = 0;
    for (int64_t v = 0; v < n_known; v++) {
        double beyond = gain[v] - price;
        listed -= MAX(beyond, 0.0);
        excluded += MIN(-gain[v], price);
        n_excluded += gain[v] < -price;
        if (gain[v] < gain[worst]) worst = v;
    }
    if (has_other) excluded -= gain[n_known];
    bool one_out = n_excluded == 0 && gain[worst] + negation * price < 0.0;
    if (one_out) excluded += gain[worst] + price;
    if (n_excluded == 0 && !one_out)
        excluded += price;
    else /* at a price of 0 an infinite number of literals would give NaN */
        excluded += negation < INFINITY ? negation * price : INFINITY;
    bool members = listed <= excluded;
    for (int64_t v = 0; v < n_known; v++) out[v] = (members ? gain[v] > price : gain[v] >= -price) ? 1.0 : 0.0;
    if (has_other) out[n_known] = members ? 0.0 : 1.0;
    if (one_out && !members) out[worst] = 0.0;
    return members ? listed : excluded;
}

/* Best union of intervals of an ordered feature by a Viterbi pass, a price for each boundary. Returns its cost.

   The states are outside, inside, and inside from the start on; to stay there to the end means `not missing`, which costs
   a literal as a boundary does. Each boundary is then put in the middle of the flat zone around it. */
static double best_intervals(const double *gain, int64_t n_bins, double price, const double *axis, double *out) {
    bool entered[MOST_SLOTS], left[MOST_SLOTS], ended[MOST_SLOTS];
    double outside = 0.0, inside = INFINITY, whole = -gain[0];
    entered[0] = left[0] = ended[0] = false;
    for (int64_t v = 1; v < n_bins; v++) {
        double least = MIN(inside, whole), stay_out = outside;
        entered[v] = outside + price < inside;
        ended[v] = whole <= inside;
        left[v] = least + price < outside;
        outside = left[v] ? least + price : outside;
        inside = (entered[v] ? stay_out + price : inside) - gain[v];
        whole -= gain[v];
    }
    whole += price;
    double cost = MIN(whole, inside);
    cost = MIN(cost, outside);
    bool is_whole = whole == cost, is_inside = inside == cost;
    for (int64_t v = n_bins - 1; v >= 0; v--) {
        out[v] = is_whole || is_inside ? 1.0 : 0.0;
        if (is_whole) continue;
        if (is_inside)
            is_inside = !entered[v];
        else if (left[v]) {
            is_whole = ended[v];
            is_inside = !ended[v];
        }
    }
    centre_boundaries(gain, n_bins, axis, out);
    return cost;
}

/* Best single interval of an ordered feature, a price for each boundary. Returns its cost.

   Asking for the whole axis means `not missing`, which costs a literal as a boundary does. */
static double best_interval(const double *gain, int64_t n_bins, double price, const double *axis, double *out) {
    double below[MOST_SLOTS + 1]; /* gains of the bins below each place */
    below[0] = 0.0;
    for (int64_t v = 0; v < n_bins; v++) below[v + 1] = below[v] + gain[v];
    double best = 0.0, low = 0.0; /* nothing inside costs nothing; the cheapest place to begin so far */
    int64_t first = 0, last = 0, start = 0;
    for (int64_t stop = 1; stop < n_bins; stop++) {
        if (low - below[stop] + price < best) {
            best = low - below[stop] + price;
            first = start;
            last = stop;
        }
        if (below[stop] + price < low) {
            low = below[stop] + price;
            start = stop;
        }
    }
    for (int64_t begin = 0; begin < n_bins; begin++) {
        if (below[begin] - below[n_bins] + price < best) {
            best = below[begin] - below[n_bins] + price;
            first = begin;
            last = n_bins;
        }
    }
    for (int64_t v = 0; v < n_bins; v++) out[v] = first <= v && v < last ? 1.0 : 0.0;
    centre_boundaries(gain, n_bins, axis, out);
    return best;
}

/* Best single boundary of an ordered feature: all bins from it on are inside (rising), or all below it. Its cost.

   Unless it must be a `proper` boundary, nothing or the whole axis may be inside; the latter means `not missing`. */
static double best_step(const double *gain, int64_t n_bins, double price, bool rising, bool proper, const double *axis,
                        double *out) {
    double all = sum(gain, n_bins), below = 0.0, best = proper ? INFINITY : 0.0;
    int64_t place = proper ? 0 : rising ? n_bins : 0;
    for (int64_t cut = 0; cut <= n_bins; cut++) {
        if (!proper || (0 < cut && cut < n_bins)) {
            double cost = price - (rising ? all - below : below);
            if (cost < best) {
                best = cost;
                place = cut;
            }
        }
        if (cut < n_bins) below += gain[cut];
    }
    for (int64_t v = 0; v < n_bins; v++) out[v] = (v >= place) == rising ? 1.0 : 0.0;
    centre_boundaries(gain, n_bins, axis, out);
    return best;
}

/* Best membership of a missing value; none unless it earns its price, all unless `partial`. Adds its cost. */
static double best_missing(double s1, double s2, double price, bool partial, double *cost) {
    if (s1 <= 0.0 || s2 <= 0.0) return 0.0;
    double p = s1 / s2;
    p = partial ? MIN(p, 1.0) : 1.0;
    double here = s2 * p * p - 2.0 * s1 * p + price;
    if (!(here < 0.0)) return 0.0;
    *cost += here;
    return p;
}

/* What the search of one table may use: the price of a literal, the price of a negation in literals, unions of
   intervals, a direction (1: only lower boundaries, -1: only upper ones), partly missing values, and the literals that
   it costs to ask about the feature at all. */
typedef struct {
    double price, negation, extra;
    bool unions, partial;
    int64_t direction;
} Search;

/* Write the best table of a feature to `out`; all ones if asking nothing is as good.

   `axis` holds the place of each bin, of a probability its value. */
static void best_table(const double *s1, const double *s2, Kind kind, const Search *how, const double *axis,
                       double *out) {
    int64_t n_known = kind.n_known, n_slots = n_known + kind.has_other + kind.has_missing;
    double gain[MOST_SLOTS], unused = 0.0, cost, price = how->price;
    for (int64_t v = 0; v < n_slots; v++) gain[v] = 2.0 * s1[v] - s2[v];
    for (int64_t v = 0; v < n_slots; v++) unused -= gain[v];
    if (kind.ordered == BAG)
        cost = best_values(gain, n_known, kind.has_other, price, how->negation, out);
    else if (kind.ordered == CHANCE)
        cost = best_chance(s1, s2, n_known, price, axis, out);
    else if (kind.ordered == CIRCLE)
        cost = how->unions ? best_arcs(gain, n_known, price, out) : best_arc(gain, n_known, price, out);
    else if (how->direction != 0)
        cost = best_step(gain, n_known, price, how->direction > 0, false, axis, out);
    else if (how->unions)
        cost = best_intervals(gain, n_known, price, axis, out);
    else
        cost = best_interval(gain, n_known, price, axis, out);
    if (kind.has_missing) {
        double saved = 0.0;
        out[n_slots - 1] = best_missing(s1[n_slots - 1], s2[n_slots - 1], price, how->partial, &saved);
        cost += saved;
    }
    if (unused <= cost + price * how->extra + 1e-12) fill(out, n_slots, 1.0);
}

/* Objective of a table: squared error and the price of its literals, `extra` ones included if it asks anything. */
static double table_cost(const double *table, int64_t n_slots, const double *s1, const double *s2, Kind kind,
                         double price, double negation, double extra) {
    double found = price * literals(table, kind, negation);
    if (is_used(table, n_slots)) found += price * extra;
    for (int64_t v = 0; v < n_slots; v++) found += s2[v] * table[v] * table[v] - 2.0 * s1[v] * table[v];
    return found;
}

/* How much more squared error a table has than another one. */
static double table_loss(const double *new, const double *old, int64_t n_slots, const double *s1, const double *s2) {
    double found = 0.0;
    for (int64_t v = 0; v < n_slots; v++)
        found += s2[v] * (new[v] * new[v] - old[v] * old[v]) - 2.0 * s1[v] * (new[v] - old[v]);
    return found;
}

EXPORT(double, table_loss)(const Doubles *new, const Doubles *old, const Doubles *s1, const Doubles *s2) {
    return table_loss(new->at, old->at, old->n, s1->at, s2->at);
}

EXPORT(double, literals)(const Doubles *table, const Kind *kind, double negation) {
    return literals(table->at, *kind, negation);
}

EXPORT(int64_t, is_soft)(const Doubles *table, int64_t n_slots) { return is_soft(table->at, n_slots); }

EXPORT(double, best_values)(const Doubles *gain, int64_t n_known, int64_t has_other, double price, double negation,
                            const Doubles *out) {
    return best_values(gain->at, n_known, has_other, price, negation, out->at);
}

EXPORT(double, best_intervals)(const Doubles *gain, int64_t n_bins, double price, const Doubles *axis,
                               const Doubles *out) {
    return best_intervals(gain->at, n_bins, price, axis->at, out->at);
}

EXPORT(double, best_interval)(const Doubles *gain, int64_t n_bins, double price, const Doubles *axis,
                              const Doubles *out) {
    return best_interval(gain->at, n_bins, price, axis->at, out->at);
}

EXPORT(double, best_missing)(double s1, double s2, double price, int64_t partial, const Doubles *cost) {
    return best_missing(s1, s2, price, partial, cost->at);
}

EXPORT(void, best_table)(const Doubles *s1, const Doubles *s2, const Kind *kind, double price, double negation,
                         int64_t unions, const Doubles *axis, const Doubles *out, int64_t direction, int64_t partial,
                         double extra) {
    Search how = {price, negation, extra, unions, partial, direction};
    best_table(s1->at, s2->at, *kind, &how, axis->at, out->at);
}

EXPORT(double, table_cost)(const Doubles *table, const Doubles *s1, const Doubles *s2, const Kind *kind, double price,
                           double negation, double extra) {
    return table_cost(table->at, table->n, s1->at, s2->at, *kind, price, negation, extra);
}
