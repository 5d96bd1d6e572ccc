/* The best fuzzy interval of an ordered feature, given the closed-form sums.

A boundary with a floor under its width is steadier than a crisp one where rows are few, and rules that are fuzzy while
they are found need fewer conditions than rules that are softened afterwards. The places that a boundary may take and the
memberships that it gives to the bins are laid out once (`fuzzy_layout`). A *span* is the pair of a lower and an upper
boundary, each the number of such a place or -1 for none. */
#include "descent.h"
#include "lanes.h"

/* Whether the layout offers fuzzy boundaries for a feature. */
INLINE bool has_fuzzy_places(const SlotLayout *layout, int64_t j) {
    return layout->place_offsets.n > 0 && layout->place_offsets.at[j + 1] > layout->place_offsets.at[j];
}

/* Literals that it costs to ask about a feature at all, beside those of the condition. */
INLINE double extra_literals(const SlotLayout *layout, int64_t j) {
    return layout->extra.n > 0 ? layout->extra.at[j] : 0.0;
}

/* Literals of a fuzzy condition: its boundaries (one for `not missing`), and one for `or missing`. */
static double span_literals(const double *table, int64_t n_slots, int64_t n_bins, const int64_t *span) {
    if (!is_used(table, n_slots)) return 0.0;
    bool missing = n_slots > n_bins && table[n_bins] > 0.0;
    int ends = (span[0] >= 0) + (span[1] >= 0);
    return MAX(1.0, (double)ends) + missing;
}

/* Upper bound of the squared error that a fuzzy condition can save where nothing is asked yet.

   The error s2 t^2 - 2 s1 t is convex in t, so a table t saves at most g (1 - t) with g = 2 (s2 - s1) in each bin. The
   table of two boundaries rises, then falls: it is a mean of crisp intervals, and the best of these bounds them all. */
static double most_saved(const double *s1, const double *s2, int64_t n_slots, int64_t n_bins) {
    double all = 0.0, here = 0.0, lowest = 0.0;
    for (int64_t v = 0; v < n_bins; v++) {
        double g = 2.0 * (s2[v] - s1[v]);
        all += g;
        here += g;
        here = MIN(here, 0.0);
        lowest = MIN(lowest, here);
    }
    double saved = all - lowest;
    if (n_slots > n_bins) {
        double p = MAX(s2[n_bins], 1e-300);
        p = MAX(s1[n_bins] / p, 0.0);
        p = MIN(p, 1.0);
        saved += s2[n_bins] * (1.0 - p * p) - 2.0 * s1[n_bins] * (1.0 - p);
    }
    return saved;
}

/* Places of a feature's boundaries: the membership of each bin above each, (places, bins), and what its digits cost. */
typedef struct {
    const double *upper, *penalties;
    int64_t n_places, n_bins;
} Places;

/* Sums of u^2 w2, u w2 and u w1 of one place. */
typedef struct {
    FourDoubles square, second, first;
} PlaceSums;

INLINE void add_bins(PlaceSums *sums, FourDoubles u, FourDoubles w1, FourDoubles w2) {
    FourDoubles by_second = u * w2;
    sums->square += u * by_second;
    sums->second += by_second;
    sums->first += u * w1;
}

/* Squared error of each place as the lower (t = u) and as the upper (t = 1 - u) boundary, from the sums w1, w2.

   The sums of a table t times a given factor f are w1 = s1 f and w2 = s2 f^2; both are filled up with 0 to a whole number
   of lanes. Only the places from `begin` to before `end` are looked at. Two at a time keep the processor busy. */
static void one_boundary(const Places *places, const double *w1, const double *w2, int64_t begin, int64_t end,
                         double *low, double *high) {
    int64_t n_bins = places->n_bins;
    double all = 0.0;
    for (int64_t v = 0; v < n_bins; v++) all += w2[v] - 2.0 * w1[v];
    for (int64_t c = begin; c < end; c += 2) {
        int64_t next = MIN(c + 1, end - 1);
        const double *u = places->upper + c * n_bins, *t = places->upper + next * n_bins;
        PlaceSums one = {{0}, {0}, {0}}, other = one;
        int64_t v = 0;
        for (; v + 4 <= n_bins; v += 4) {
            FourDoubles by_first = load_doubles(w1 + v), by_second = load_doubles(w2 + v);
            add_bins(&one, load_doubles(u + v), by_first, by_second);
            add_bins(&other, load_doubles(t + v), by_first, by_second);
        }
        if (v < n_bins) {
            double rest[2][4] = {{0.0}, {0.0}};
            memcpy(rest[0], u + v, (size_t)(n_bins - v) * sizeof(double));
            memcpy(rest[1], t + v, (size_t)(n_bins - v) * sizeof(double));
            FourDoubles by_first = load_doubles(w1 + v), by_second = load_doubles(w2 + v);
            add_bins(&one, load_doubles(rest[0]), by_first, by_second);
            add_bins(&other, load_doubles(rest[1]), by_first, by_second);
        }
        for (int64_t place = c; place <= next; place++) {
            const PlaceSums *sums = place == c ? &one : &other;
            double square = add_double_lanes(sums->square), first = add_double_lanes(sums->first);
            low[place] = square - 2.0 * first;
            high[place] = all + square - 2.0 * add_double_lanes(sums->second) + 2.0 * first;
        }
    }
}

/* Number of the least cost from `begin` to before `end`, the first of several. */
INLINE int64_t least_of(const double *cost, int64_t begin, int64_t end) {
    int64_t best = begin;
    for (int64_t c = begin + 1; c < end; c++)
        if (cost[c] < cost[best]) best = c;
    return best;
}

/* From a first boundary on, add the other side and move both in turn until neither improves; return the best cost. */
static double move_both(const Places *places, const double *s1, const double *s2, double price, int64_t here,
                        bool move_lower, double best, double *low, double *high, int64_t *span) {
    double w1[MOST_SLOTS + 4], w2[MOST_SLOTS + 4];
    int64_t n_bins = places->n_bins, n_places = places->n_places;
    fill(w1 + n_bins, 4, 0.0);
    fill(w2 + n_bins, 4, 0.0);
    for (int turn = 0; turn < 4; turn++) {
        const double *u = places->upper + here * n_bins;
        for (int64_t v = 0; v < n_bins; v++) {
            double f = move_lower ? 1.0 - u[v] : u[v];
            w1[v] = s1[v] * f;
            w2[v] = s2[v] * f * f;
        }
        int64_t begin = move_lower ? 0 : here + 1, end = move_lower ? here : n_places;
        if (begin >= end) break; /* the lower boundary stays below the upper one */
        one_boundary(places, w1, w2, begin, end, low, high);
        double *cost = move_lower ? low : high, fixed = places->penalties[here] + 2.0 * price;
        for (int64_t c = begin; c < end; c++) cost[c] += places->penalties[c] + fixed;
        int64_t other = least_of(cost, begin, end);
        if (!(cost[other] < best - 1e-12)) break;
        best = cost[other];
        span[0] = move_lower ? other : here;
        span[1] = move_lower ? here : other;
        here = other;
        move_lower = !move_lower;
    }
    return best;
}

/* Write the best lower and upper boundary to `span`; return the cost, with a price per boundary.

   One boundary is tried at every place; from the best lower and the best upper one, the other side is added and both are
   moved in turn until neither improves. */
static double best_span(const Places *places, const double *s1, const double *s2, double price, int64_t *span) {
    double w1[MOST_SLOTS + 4], w2[MOST_SLOTS + 4], low[MOST_SLOTS], high[MOST_SLOTS];
    int64_t n_places = places->n_places, n_bins = places->n_bins;
    memcpy(w1, s1, (size_t)n_bins * sizeof(double));
    memcpy(w2, s2, (size_t)n_bins * sizeof(double));
    fill(w1 + n_bins, 4, 0.0);
    fill(w2 + n_bins, 4, 0.0);
    one_boundary(places, w1, w2, 0, n_places, low, high);
    for (int64_t c = 0; c < n_places; c++) {
        low[c] += places->penalties[c] + price;
        high[c] += places->penalties[c] + price;
    }
    int64_t first = least_of(low, 0, n_places), last = least_of(high, 0, n_places);
    bool lower = low[first] <= high[last];
    double best = lower ? low[first] : high[last];
    span[0] = lower ? first : -1;
    span[1] = lower ? -1 : last;
    best = move_both(places, s1, s2, price, first, false, best, low, high, span);
    return move_both(places, s1, s2, price, last, true, best, low, high, span);
}

/* Write the best fuzzy condition of a feature to `out` and its boundaries to `span`; return its cost.

   All ones if asking nothing is as good; `not missing` and `missing` cost a literal. */
static double best_fuzzy_table(const SlotLayout *layout, int64_t j, const double *s1, const double *s2, double price,
                               int64_t *span, double *out) {
    int64_t n_bins = layout->n_known.at[j], n_slots = SLOTS(layout, j), begin = layout->place_offsets.at[j];
    Places places = {layout->upper.at + layout->upper_offsets.at[j], layout->place_penalties.at + begin,
                     layout->place_offsets.at[j + 1] - begin, n_bins};
    bool has_missing = n_slots > n_bins;
    double cost = best_span(&places, s1, s2, price, span), known = 0.0, unused = 0.0;
    for (int64_t v = 0; v < n_slots; v++) {
        unused += s2[v] - 2.0 * s1[v];
        known += v < n_bins ? s2[v] - 2.0 * s1[v] : 0.0;
    }
    double whole = known + price;
    bool is_whole = has_missing && whole < cost, is_empty = (has_missing ? MIN(cost, whole) : cost) > 0.0;
    if (is_whole || is_empty) {
        span[0] = span[1] = -1;
        cost = is_empty ? 0.0 : whole;
    }
    for (int64_t v = 0; v < n_bins; v++) {
        double t = is_empty ? 0.0 : 1.0;
        if (span[0] >= 0) t *= places.upper[span[0] * n_bins + v];
        if (span[1] >= 0) t *= 1.0 - places.upper[span[1] * n_bins + v];
        out[v] = t;
    }
    if (has_missing) out[n_bins] = best_missing(s1[n_bins], s2[n_bins], price, layout->partial_missing, &cost);
    cost += price * extra_literals(layout, j);
    if (unused <= cost + 1e-12) {
        fill(out, n_slots, 1.0);
        span[0] = span[1] = -1;
        return unused;
    }
    return cost;
}

EXPORT(double, span_literals)(const Doubles *table, int64_t n_bins, const Integers *span) {
    return span_literals(table->at, table->n, n_bins, span->at);
}

EXPORT(double, most_saved)(const Doubles *s1, const Doubles *s2, int64_t n_bins) {
    return most_saved(s1->at, s2->at, s1->n, n_bins);
}

EXPORT(double, best_span)(const Doubles *upper, const Doubles *penalties, const Doubles *s1, const Doubles *s2,
                          double price, const Integers *span) {
    Places places = {upper->at, penalties->at, upper->n, upper->m};
    return best_span(&places, s1->at, s2->at, price, span->at);
}

EXPORT(double, best_fuzzy_table)(const SlotLayout *layout, int64_t j, const Doubles *s1, const Doubles *s2,
                                 double price, const Integers *span, const Doubles *out) {
    return best_fuzzy_table(layout, j, s1->at, s2->at, price, span->at, out->at);
}
