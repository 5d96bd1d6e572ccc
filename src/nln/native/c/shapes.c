/* Boundaries of one condition: memberships above a fuzzy boundary, and the best place and width of each boundary. */
#include "descent.h"
#include "exponential.h"
#include "lanes.h"

#define LOG_9 2.1972245773362196 /* a boundary's half-width is where the membership is 9 to 1 */

/* Membership of every bin above a boundary of each value and half-width, (boundaries, bins). */
EXPORT(void, fill_sides)(const Doubles *centers, const Doubles *values, const Doubles *widths, const Doubles *out) {
    for (int64_t c = 0; c < values->n; c++) {
        double value = values->at[c], width = widths->at[c], *row = ROW(*out, c);
        for (int64_t v = 0; v < centers->n; v++) {
            double center = centers->at[v], z = LOG_9 * (center - value) / width;
            if (width == 0.0)
                row[v] = center >= value ? 1.0 : 0.0;
            else if (z > -700.0)
                row[v] = 1.0 / (1.0 + exponential(-MIN(z, 700.0)));
            else
                row[v] = 0.0;
        }
    }
}

/* The boundaries of one condition and the memberships that they may give, (rungs, cuts, bins). */
typedef struct {
    const Doubles *sides;
    int64_t *cuts, *levels, n;
    bool starts_inside;
} Boundaries;

INLINE const double *side_of(const Boundaries *shape, int64_t level, int64_t cut) {
    return shape->sides->at + (level * shape->sides->m + cut) * shape->sides->k;
}

/* The parabolas of the error in the upper side u of boundary b, in each bin: (second u + first) u.

   The membership of a bin is a line in u, constant + slope u. It is that of one of the intervals, whose other boundary is
   given, and of the share `rest` that lies in none of the others. */
static void parabolas(const Boundaries *shape, int64_t b, const double *s1, const double *s2, int64_t n_bins,
                      double *restrict first, double *restrict second) {
    double rest[MOST_SLOTS], other[MOST_SLOTS];
    bool is_lower = true;
    fill(rest, n_bins, 1.0);
    for (int64_t low = shape->starts_inside ? -1 : 0; low < shape->n; low += 2) {
        const double *above = low >= 0 ? side_of(shape, shape->levels[low], shape->cuts[low]) : NULL;
        const double *below = low + 1 < shape->n ? side_of(shape, shape->levels[low + 1], shape->cuts[low + 1]) : NULL;
        bool own = low == b || low + 1 == b;
        if (own) is_lower = low == b;
        for (int64_t v = 0; v < n_bins; v++) {
            double from = above ? above[v] : 1.0, to = below ? 1.0 - below[v] : 1.0;
            if (own)
                other[v] = is_lower ? to : from;
            else
                rest[v] *= 1.0 - from * to;
        }
    }
    for (int64_t v = 0; v < n_bins; v++) {
        double constant = 1.0 - rest[v] * (1.0 - (is_lower ? 0.0 : other[v]));
        double slope = rest[v] * (is_lower ? other[v] : -other[v]);
        first[v] = 2.0 * slope * (s2[v] * constant - s1[v]);
        second[v] = s2[v] * slope * slope;
    }
}

/* Sum of (second u + first) u over the bins; sixteen lanes, then the last bins. */
static double parabola(const double *first, const double *second, const double *side, int64_t n_bins) {
    FourDoubles lanes[4] = {{0}, {0}, {0}, {0}};
    int64_t v = 0;
    for (; v + 16 <= n_bins; v += 16) {
        for (int i = 0; i < 4; i++) {
            FourDoubles u = load_doubles(side + v + 4 * i);
            lanes[i] += (load_doubles(second + v + 4 * i) * u + load_doubles(first + v + 4 * i)) * u;
        }
    }
    double found = add_double_lanes((lanes[0] + lanes[2]) + (lanes[1] + lanes[3]));
    for (; v < n_bins; v++) found += (second[v] * side[v] + first[v]) * side[v];
    return found;
}

/* Give one boundary the best of the places up to `reach` away and of the rungs from `floor` up, given its parabolas. */
static void move_boundary(Boundaries *shape, const Doubles *penalties, int64_t b, const double *first,
                          const double *second, int64_t n_bins, int64_t floor_level, int64_t reach) {
    int64_t here = shape->cuts[b];
    int64_t lowest = b > 0 ? shape->cuts[b - 1] + 1 : 1;
    int64_t highest = b + 1 < shape->n ? shape->cuts[b + 1] - 1 : n_bins - 1;
    double best_cost = INFINITY;
    int64_t best_cut = here, best_level = MAX(shape->levels[b], floor_level);
    for (int64_t cut = MAX(lowest, here - reach); cut <= MIN(highest, here + reach); cut++) {
        for (int64_t level = floor_level; level < shape->sides->n; level++) {
            /* Of equally good places the nearest: the descent put the boundary in the middle of a flat zone. */
            double error = parabola(first, second, side_of(shape, level, cut), n_bins);
            double cost = ROW(*penalties, cut)[level] + error + 1e-9 * (double)llabs(cut - here);
            if (cost < best_cost - 1e-12) {
                best_cost = cost;
                best_cut = cut;
                best_level = level;
            }
        }
    }
    shape->cuts[b] = best_cut;
    shape->levels[b] = best_level;
}

/* Give each boundary in turn the best of the places up to `reach` away and of the rungs from `floor` up, in place.

   s1, s2 are the closed-form sums of the feature: the squared error of a table t is  sum_v s2 t^2 - 2 s1 t. Given the
   other boundaries, t is a line in the upper side of one of them, and the error a parabola in each bin. */
static void improve_shape(Boundaries *shape, const Doubles *penalties, const double *s1, const double *s2,
                          int64_t n_bins, int64_t floor_level, int64_t reach) {
    double first[MOST_SLOTS], second[MOST_SLOTS];
    for (int64_t b = 0; b < shape->n; b++) {
        parabolas(shape, b, s1, s2, n_bins, first, second);
        move_boundary(shape, penalties, b, first, second, n_bins, floor_level, reach);
    }
}

EXPORT(void, improve_shape)(const Doubles *sides, const Doubles *penalties, const Integers *cuts,
                            const Integers *levels, int64_t starts_inside, const Doubles *s1, const Doubles *s2,
                            int64_t floor_level, int64_t reach) {
    Boundaries shape = {sides, cuts->at, levels->at, cuts->n, starts_inside};
    improve_shape(&shape, penalties, s1->at, s2->at, s1->n, floor_level, reach);
}

/* Membership of each bin: the OR of the intervals, an interval being the AND of its two sides. */
static void shape_table(const Boundaries *shape, int64_t n_bins, double *restrict out) {
    fill(out, n_bins, 1.0);
    for (int64_t low = shape->starts_inside ? -1 : 0; low < shape->n; low += 2) {
        const double *above = low >= 0 ? side_of(shape, shape->levels[low], shape->cuts[low]) : NULL;
        const double *below = low + 1 < shape->n ? side_of(shape, shape->levels[low + 1], shape->cuts[low + 1]) : NULL;
        for (int64_t v = 0; v < n_bins; v++)
            out[v] *= 1.0 - (above ? above[v] : 1.0) * (below ? 1.0 - below[v] : 1.0);
    }
    for (int64_t v = 0; v < n_bins; v++) out[v] = 1.0 - out[v];
}

/* Move the boundaries of one feature of the lifted rule i to where they are best, and put the table that they make in.

   A missing value that satisfies the condition keeps its best probability. */
EXPORT(void, soften_feature)(const DescentRows *rows, const SlotLayout *layout, const Draft *draft, const State *state,
                             int64_t i, int64_t j, const Doubles *sides, const Doubles *penalties, const Integers *cuts,
                             const Integers *levels, int64_t starts_inside, int64_t floor_level, int64_t reach) {
    double s1[MOST_SLOTS], s2[MOST_SLOTS], table[MOST_SLOTS], *old = PART(layout, ROW(draft->tables, i), j);
    int64_t n_slots = SLOTS(layout, j), n_bins = sides->k, last = n_slots - 1;
    Within within = rows_within_one(&state->zeros, state->room.at);
    feature_sums(ROW(rows->codes, j), old, n_slots, MAX(draft->bias.at[i], LEAST_BIAS), state, within.count, s1, s2);
    Boundaries shape = {sides, cuts->at, levels->at, cuts->n, starts_inside};
    improve_shape(&shape, penalties, s1, s2, n_bins, floor_level, reach);
    memcpy(table, old, (size_t)n_slots * sizeof(double));
    shape_table(&shape, n_bins, table);
    if (layout->partial_missing && n_slots > n_bins && table[last] > 0.0 && s2[last] > 0.0) {
        double best = MAX(s1[last] / s2[last], 0.0);
        table[last] = MIN(best, 1.0);
    }
    put_table(&rows->codes, layout, ROW(draft->tables, i), j, table, state);
}
