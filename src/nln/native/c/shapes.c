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

/* A bin's membership as a line in the upper side u of boundary b: constant and slope. */
static void membership_line(const Boundaries *shape, int64_t b, int64_t v, double *constant, double *slope) {
    double rest = 1.0, c = 0.0, s = 0.0;
    for (int64_t low = shape->starts_inside ? -1 : 0; low < shape->n; low += 2) {
        double above = low >= 0 ? side_of(shape, shape->levels[low], shape->cuts[low])[v] : 1.0;
        double below = low + 1 < shape->n ? 1.0 - side_of(shape, shape->levels[low + 1], shape->cuts[low + 1])[v] : 1.0;
        if (low == b) {
            c = 0.0;
            s = below;
        } else if (low + 1 == b) {
            c = above;
            s = -above;
        } else
            rest *= 1.0 - above * below;
    }
    *constant = 1.0 - rest * (1.0 - c);
    *slope = rest * s;
}

/* Sum of (second u + first) u over the bins; the terms are filled up with 0 to a whole number of lanes. */
static double parabola(const double *first, const double *second, const double *side, int64_t n_bins) {
    FourDoubles lanes = {0};
    int64_t v = 0;
    for (; v + 4 <= n_bins; v += 4) {
        FourDoubles u = load_doubles(side + v);
        lanes += (load_doubles(second + v) * u + load_doubles(first + v)) * u;
    }
    if (v < n_bins) {
        double rest[4] = {0.0, 0.0, 0.0, 0.0};
        memcpy(rest, side + v, (size_t)(n_bins - v) * sizeof(double));
        FourDoubles u = load_doubles(rest);
        lanes += (load_doubles(second + v) * u + load_doubles(first + v)) * u;
    }
    return add_double_lanes(lanes);
}

/* Give one boundary the best of nearby places and of the rungs from `floor` up, given its parabolas. */
static void move_boundary(Boundaries *shape, const Doubles *penalties, int64_t b, const double *first,
                          const double *second, int64_t n_bins, int64_t floor_level) {
    int64_t reach = MAX(2, n_bins / 16), here = shape->cuts[b];
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

/* Give each boundary in turn the best of nearby places and of the rungs from `floor` up, in place.

   s1, s2 are the closed-form sums of the feature: the squared error of a table t is  sum_v s2 t^2 - 2 s1 t. Given the
   other boundaries, t is a line in the upper side of one of them, and the error a parabola in each bin. */
EXPORT(void, improve_shape)(const Doubles *sides, const Doubles *penalties, const Integers *cuts,
                            const Integers *levels, int64_t starts_inside, const Doubles *s1, const Doubles *s2,
                            int64_t floor_level) {
    int64_t n_bins = s1->n;
    double first[MOST_SLOTS + 4], second[MOST_SLOTS + 4];
    fill(first + n_bins, 4, 0.0);
    fill(second + n_bins, 4, 0.0);
    Boundaries shape = {sides, cuts->at, levels->at, cuts->n, starts_inside};
    for (int64_t b = 0; b < shape.n; b++) {
        for (int64_t v = 0; v < n_bins; v++) {
            double constant, slope;
            membership_line(&shape, b, v, &constant, &slope);
            first[v] = 2.0 * slope * (s2->at[v] * constant - s1->at[v]);
            second[v] = s2->at[v] * slope * slope;
        }
        move_boundary(&shape, penalties, b, first, second, n_bins, floor_level);
    }
}
