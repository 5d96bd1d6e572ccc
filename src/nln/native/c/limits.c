/* What constraints forbid or force in one rule. Without constraints the pointer to the limits is null. */
#include "descent.h"

/* Whether a rule asks for the value of a feature; `not missing` alone does not. */
static bool asks_value(const SlotLayout *layout, const double *table, int64_t j) {
    return is_used(PART(layout, table, j), layout->n_known.at[j] + layout->has_other.at[j]);
}

/* Whether a rule asks about a feature that must not stand beside feature j. */
static bool is_blocked(const SlotLayout *layout, const Limits *limits, const double *table, int64_t j) {
    for (int64_t p = 0; p < layout->n_known.n; p++)
        if (ROW(limits->pairs, j)[p] && ASKS(layout, table, p)) return true;
    return false;
}

/* Whether feature j is required and no other required feature is asked for. */
static bool must_ask(const SlotLayout *layout, const Limits *limits, const double *table, int64_t j) {
    if (!limits->required.at[j]) return false;
    for (int64_t p = 0; p < layout->n_known.n; p++)
        if (p != j && limits->required.at[p] && asks_value(layout, table, p)) return false;
    return true;
}

EXPORT(int64_t, is_blocked)(const SlotLayout *layout, const Limits *limits, const Doubles *table, int64_t j) {
    return is_blocked(layout, limits, table->at, j);
}

EXPORT(int64_t, must_ask)(const SlotLayout *layout, const Limits *limits, const Doubles *table, int64_t j) {
    return must_ask(layout, limits, table->at, j);
}

/* Number of the greatest of some numbers, the first of several. */
INLINE int64_t greatest_of(const double *at, int64_t n) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (at[i] > at[best]) best = i;
    return best;
}

/* Best single value of a categorical feature, listed or excluded. */
static void best_value(const double *gain, Kind kind, double price, double negation, double *out) {
    int64_t listed = greatest_of(gain, kind.n_known), excluded = least_of(gain, 0, kind.n_known);
    double rest = sum(gain, kind.n_known + kind.has_other) - gain[excluded];
    bool negated = negation < INFINITY && rest - negation * price > gain[listed];
    fill(out, kind.n_known + kind.has_other, negated ? 1.0 : 0.0);
    out[negated ? excluded : listed] = negated ? 0.0 : 1.0;
}

/* Write the best condition of one literal to `out`; return whether the feature can be asked for at all. */
static bool best_literal(const double *s1, const double *s2, const SlotLayout *layout, int64_t j, double price,
                         int64_t direction, double *out) {
    Kind kind = kind_of(layout, j);
    int64_t n_known = kind.n_known, last = n_known + kind.has_other, n_slots = SLOTS(layout, j);
    if (last < 2) return false;
    double gain[MOST_SLOTS], trial[MOST_SLOTS], best = INFINITY;
    for (int64_t v = 0; v < n_slots; v++) gain[v] = 2.0 * s1[v] - s2[v];
    if (kind.ordered) {
        for (int rising = 1; rising >= 0; rising--) {
            if (direction != 0 && (direction > 0) != rising) continue;
            double cost = best_step(gain, n_known, price, rising, true, PART(layout, layout->axis.at, j), trial);
            if (cost < best) {
                best = cost;
                memcpy(out, trial, (size_t)n_known * sizeof(double));
            }
        }
    } else
        best_value(gain, kind, price, layout->negation, out);
    if (kind.has_missing) {
        double cost = 0.0;
        out[last] = best_missing(s1[last], s2[last], price, layout->partial_missing, &cost);
    }
    return true;
}

EXPORT(int64_t, best_literal)(const Doubles *s1, const Doubles *s2, const SlotLayout *layout, int64_t j, double price,
                              int64_t direction, const Doubles *out) {
    return best_literal(s1->at, s2->at, layout, j, price, direction, out->at);
}

/* The rule at hand: its table and its rows. */
typedef struct {
    const Codes *codes;
    const SlotLayout *layout;
    const Limits *limits;
    double *table, bias;
    const State *state;
} Lifted;

static void put(const Lifted *rule, int64_t j, const double *new) {
    put_table(rule->codes, rule->layout, rule->table, j, new, rule->state);
}

static void take_away(const Lifted *rule, int64_t j) {
    double ones[MOST_SLOTS];
    fill(ones, SLOTS(rule->layout, j), 1.0);
    put(rule, j, ones);
}

/* Closed-form sums of one feature, of a table that may not be the rule's. */
static void sums_of(const Lifted *rule, int64_t j, const double *part, int64_t count, double *s1, double *s2) {
    feature_sums(ROW(*rule->codes, j), part, SLOTS(rule->layout, j), rule->bias, rule->state, count, s1, s2);
}

/* The condition that is missed least, of those on the candidate features; -1 if there is none. */
static int64_t least_missed(const Lifted *rule, const bool *candidates) {
    const SlotLayout *layout = rule->layout;
    Within within = rows_within_one(&rule->state->zeros, rule->state->room.at);
    double least = INFINITY, ones[MOST_SLOTS], s1[MOST_SLOTS], s2[MOST_SLOTS];
    int64_t where = -1;
    fill(ones, MOST_SLOTS, 1.0);
    for (int64_t j = 0; j < rule->codes->n; j++) {
        const double *old = PART(layout, rule->table, j);
        if (!candidates[j] || !ASKS(layout, rule->table, j)) continue;
        if (rule->limits && must_ask(layout, rule->limits, rule->table, j)) continue;
        sums_of(rule, j, old, within.count, s1, s2);
        double loss = table_loss(ones, old, SLOTS(layout, j), s1, s2);
        if (loss < least) {
            least = loss;
            where = j;
        }
    }
    return where;
}

/* Number of features that a rule asks about. */
static int64_t count_conditions(const SlotLayout *layout, const double *table) {
    int64_t count = 0;
    for (int64_t j = 0; j < layout->n_known.n; j++) count += ASKS(layout, table, j);
    return count;
}

/* Take away the conditions that are missed least until no more are left than allowed; return how many. */
static int64_t trim_rule(const Lifted *rule) {
    int64_t taken = 0, n_features = rule->codes->n;
    bool *every = NEW(bool, n_features);
    memset(every, 1, (size_t)n_features);
    for (; count_conditions(rule->layout, rule->table) > rule->layout->max_conditions; taken++) {
        int64_t where = least_missed(rule, every);
        if (where < 0) break;
        take_away(rule, where);
    }
    free(every);
    return taken;
}

/* Mean of the closest monotone tables above and below, in place. */
static void make_monotone(double *part, int64_t n, int64_t direction) {
    double above[MOST_SLOTS], below[MOST_SLOTS]; /* smallest monotone table above, largest below */
    memcpy(above, part, (size_t)n * sizeof(double));
    memcpy(below, part, (size_t)n * sizeof(double));
    for (int64_t v = 1; v < n; v++) {
        bool up = direction > 0;
        int64_t here = up ? v : n - 1 - v, last = up ? v - 1 : n - v;
        above[here] = MAX(above[here], above[last]);
        int64_t there = up ? n - 1 - v : v, following = up ? n - v : v - 1;
        below[there] = MIN(below[there], below[following]);
    }
    for (int64_t v = 0; v < n; v++) part[v] = 0.5 * (above[v] + below[v]);
}

EXPORT(void, make_monotone)(const Doubles *part, int64_t n, int64_t direction) {
    make_monotone(part->at, n, direction);
}

/* Let the rule ask for the required feature that costs least; return whether any can be asked for. */
static bool add_required(const Lifted *rule, int64_t output) {
    const SlotLayout *layout = rule->layout;
    const Limits *limits = rule->limits;
    Within within = rows_within_one(&rule->state->zeros, rule->state->room.at);
    double least = INFINITY, chosen[MOST_SLOTS], new[MOST_SLOTS], s1[MOST_SLOTS], s2[MOST_SLOTS];
    int64_t where = -1;
    for (int64_t j = 0; j < rule->codes->n; j++) {
        if (!limits->required.at[j]) continue;
        const double *old = PART(layout, rule->table, j);
        int64_t n_slots = SLOTS(layout, j), direction = ROW(limits->direction, output)[j];
        fill(new, n_slots, 1.0);
        sums_of(rule, j, old, within.count, s1, s2);
        if (!best_literal(s1, s2, layout, j, 0.0, direction, new)) continue;
        double loss = table_loss(new, old, n_slots, s1, s2);
        if (loss < least) {
            least = loss;
            where = j;
            memcpy(chosen, new, (size_t)n_slots * sizeof(double));
        }
    }
    if (where < 0) return false;
    put(rule, where, chosen);
    return true;
}

/* Whether a rule asks for a required feature, or none is required. */
static bool has_required(const SlotLayout *layout, const Limits *limits, const double *table) {
    bool needed = false;
    for (int64_t j = 0; j < layout->n_known.n; j++) {
        if (!limits->required.at[j]) continue;
        needed = true;
        if (asks_value(layout, table, j)) return true;
    }
    return !needed;
}

EXPORT(int64_t, has_required)(const SlotLayout *layout, const Limits *limits, const Doubles *table) {
    return has_required(layout, limits, table->at);
}

/* Make a lifted rule keep to the limits at the least loss, its state with it; return whether it can.

   Tables of monotone features become the mean of the closest monotone tables above and below; the descent makes them
   crisp. A rule without a required feature gets the one that costs least, and of a forbidden pair the condition that is
   missed less is taken away. */
EXPORT(int64_t, conform_rule)(const Codes *codes, const SlotLayout *layout, const Limits *limits, const Doubles *table,
                              double bias, int64_t output, const State *state) {
    Lifted rule = {codes, layout, limits, table->at, bias, state};
    for (int64_t j = 0; j < codes->n; j++) {
        int64_t direction = ROW(limits->direction, output)[j];
        if (direction == 0) continue;
        double new[MOST_SLOTS];
        memcpy(new, PART(layout, rule.table, j), (size_t)SLOTS(layout, j) * sizeof(double));
        make_monotone(new, layout->n_known.at[j], direction);
        put(&rule, j, new);
    }
    if (!has_required(layout, limits, rule.table) && !add_required(&rule, output)) return false;
    bool *clashing = NEW(bool, codes->n);
    while (true) {
        for (int64_t j = 0; j < codes->n; j++) clashing[j] = is_blocked(layout, limits, rule.table, j);
        int64_t where = least_missed(&rule, clashing);
        if (where < 0) break;
        take_away(&rule, where);
    }
    free(clashing);
    return true;
}

/* What the search of a table of feature j may use in a rule of an output. */
static Search search_of(const SlotLayout *layout, const Limits *limits, int64_t j, int64_t output, double price) {
    Search how = {price, layout->negation, extra_literals(layout, j), layout->unions, layout->partial_missing, 0};
    if (limits) {
        how.direction = ROW(limits->direction, output)[j];
        how.price = price * limits->factors.at[j];
    }
    return how;
}

/* Objective of a feature's table, given its sums, after writing the best one there if `search`. */
static double cost_of(const SlotLayout *layout, const Limits *limits, int64_t j, const double *s1, const double *s2,
                      int64_t output, double price, bool search, double *part) {
    Kind kind = kind_of(layout, j);
    Search how = search_of(layout, limits, j, output, price);
    if (search) best_table(s1, s2, kind, &how, PART(layout, layout->axis.at, j), part);
    return table_cost(part, SLOTS(layout, j), s1, s2, kind, how.price, how.negation, how.extra);
}

EXPORT(double, cost_of)(const SlotLayout *layout, const Limits *limits, int64_t j, const Doubles *s1, const Doubles *s2,
                        int64_t output, double price, int64_t search, const Doubles *part) {
    return cost_of(layout, limits, j, s1->at, s2->at, output, price, search, part->at);
}

/* The same of a lifted rule. */
static double put_best(const Lifted *rule, int64_t j, double *part, int64_t output, double price, bool search) {
    Within within = rows_within_one(&rule->state->zeros, rule->state->room.at);
    double s1[MOST_SLOTS], s2[MOST_SLOTS];
    sums_of(rule, j, part, within.count, s1, s2);
    return cost_of(rule->layout, rule->limits, j, s1, s2, output, price, search, part);
}

/* Replace a condition by one on another feature if that is better; return whether it was. */
static bool swap_condition(const Lifted *rule, int64_t j, int64_t f, double price, int64_t output) {
    const SlotLayout *layout = rule->layout;
    double old[MOST_SLOTS], new[MOST_SLOTS];
    memcpy(old, PART(layout, rule->table, j), (size_t)SLOTS(layout, j) * sizeof(double));
    memcpy(new, PART(layout, rule->table, f), (size_t)SLOTS(layout, f) * sizeof(double));
    double before = put_best(rule, j, old, output, price, false);
    take_away(rule, j);
    double after = put_best(rule, f, new, output, price, true);
    int64_t known = layout->n_known.at[f] + layout->has_other.at[f];
    bool better = after < before - 1e-9 && is_used(new, known) && !is_blocked(layout, rule->limits, rule->table, f);
    put(rule, better ? f : j, better ? new : old);
    return better;
}

/* Replace conditions by others on features of lower price factors where that is better; return how many.

   If two features say the same, no step on one feature alone leads from the one to the other. */
static int64_t swap_conditions(const Lifted *rule, double price, int64_t output) {
    const SlotLayout *layout = rule->layout;
    const Limits *limits = rule->limits;
    int64_t swapped = 0;
    for (int64_t j = 0; j < rule->codes->n; j++) {
        for (int64_t f = 0; f < rule->codes->n; f++) {
            if (limits->factors.at[f] >= limits->factors.at[j] || ASKS(layout, rule->table, f)) continue;
            if (!ASKS(layout, rule->table, j)) continue;
            if (must_ask(layout, limits, rule->table, j) && !limits->required.at[f]) continue;
            swapped += swap_condition(rule, j, f, price, output);
        }
    }
    return swapped;
}
