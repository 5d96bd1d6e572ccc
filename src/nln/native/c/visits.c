/* A visit to a rule: lift it out of its output, give each feature its best table in turn, fit the bias, put it back. */
#include "descent.h"

/* What became of a table: nothing, another probability of missing values, another condition. */
enum { KEPT, MOVED, CHANGED };

/* Compute what a rule gives on every row. */
static void activate_rule(const DescentRows *rows, const SlotLayout *layout, const Draft *draft, const State *state,
                          int64_t i) {
    rule_state(&rows->codes, layout->offsets.at, ROW(draft->tables, i), &state->zeros, state->product.at);
    activation(&state->zeros, state->product.at, state->rule.at);
}

/* State of the output of a rule. */
#define ZEROS_OF(state, k) ROW((state)->output_zeros, k)
#define PRODUCT_OF(state, k) ROW((state)->output_product, k)

/* Multiply an activated rule into its output. */
static void multiply_into_output(const Draft *draft, const State *state, int64_t i) {
    int64_t k = draft->output.at[i];
    add_factor(state->rule.at, draft->bias.at[i], ZEROS_OF(state, k), PRODUCT_OF(state, k), state->rule.n);
}

/* Compute the outputs from scratch. */
EXPORT(void, compute_outputs)(const DescentRows *rows, const SlotLayout *layout, const Draft *draft,
                              const State *state, const Bytes *alive) {
    int64_t count = state->output_zeros.n * state->output_zeros.m;
    memset(state->output_zeros.at, 0, (size_t)count * sizeof(int32_t));
    fill(state->output_product.at, count, 1.0);
    for (int64_t i = 0; i < alive->n; i++) {
        if (!alive->at[i]) continue;
        activate_rule(rows, layout, draft, state, i);
        multiply_into_output(draft, state, i);
    }
}

/* Compute a rule, take it out of its output and find the quadratic of what is left. */
static void lift_rule(const DescentRows *rows, const SlotLayout *layout, const Draft *draft, const State *state,
                      int64_t i) {
    activate_rule(rows, layout, draft, state, i);
    int64_t k = draft->output.at[i], n_rows = state->rule.n;
    remove_factor(state->rule.at, draft->bias.at[i], ZEROS_OF(state, k), PRODUCT_OF(state, k), n_rows);
    quadratic(ROW(rows->targets, k), rows->weights.at, ZEROS_OF(state, k), PRODUCT_OF(state, k),
              draft->output_bias.at[k], state->q1.at, state->q2.at, n_rows);
}

/* Fit the bias of a lifted rule, if it is not fixed, and put it back; return what the rule is worth. */
static double settle_rule(const Draft *draft, const State *state, int64_t i) {
    double first, second;
    activation(&state->zeros, state->product.at, state->rule.at);
    bias_sums(state->rule.at, state->q1.at, state->q2.at, state->rule.n, &first, &second);
    second += state->evidence;
    if (i >= draft->n_fixed) {
        double best = MAX(first / second, 0.0);
        draft->bias.at[i] = MIN(best, 1.0);
    }
    double a = draft->bias.at[i];
    multiply_into_output(draft, state, i);
    return 2.0 * first * a - second * a * a;
}

/* Drop a settled rule; the bias of its output takes over a rule that asks nothing. */
static void drop_rule(const Draft *draft, const State *state, int64_t i, const Bytes *alive, bool absorb) {
    int64_t k = draft->output.at[i];
    double a = draft->bias.at[i];
    remove_factor(state->rule.at, a, ZEROS_OF(state, k), PRODUCT_OF(state, k), state->rule.n);
    alive->at[i] = 0;
    if (absorb) draft->output_bias.at[k] = 1.0 - (1.0 - draft->output_bias.at[k]) * (1.0 - a);
}

/* Whether a condition cannot stay as it is: one of a network, or with partly missing values where none may be. */
static bool must_change(const SlotLayout *layout, int64_t j, const double *table, const int64_t *span) {
    int64_t n_slots = SLOTS(layout, j), n_crisp = layout->n_known.at[j] + layout->has_other.at[j];
    if (!layout->partial_missing && is_soft(table + n_crisp, n_slots - n_crisp)) return true;
    if (has_fuzzy_places(layout, j)) return is_used(table, n_slots) && span[0] < 0 && span[1] < 0;
    return layout->ordered.at[j] == CHANCE || is_soft(table, n_crisp);
}

EXPORT(int64_t, must_change)(const SlotLayout *layout, int64_t j, const Doubles *table, const Integers *span) {
    return must_change(layout, j, table->at, span->at);
}

INLINE bool differ(const double *a, const double *b, int64_t n) {
    for (int64_t v = 0; v < n; v++)
        if (a[v] != b[v]) return true;
    return false;
}

/* Write the best crisp table of a feature to `new`; return whether it is better than the old one. */
static int improve_table(const Lifted *rule, int64_t j, const double *old, const double *s1, const double *s2,
                         double price, int64_t output, double *new) {
    const int64_t no_span[2] = {-1, -1};
    const SlotLayout *layout = rule->layout;
    const Limits *limits = rule->limits;
    Kind kind = kind_of(layout, j);
    int64_t n_slots = SLOTS(layout, j), n_crisp = kind.n_known + kind.has_other; /* a missing value keeps a probability */
    if (limits && !is_used(old, n_slots) && is_blocked(layout, limits, rule->table, j)) return KEPT;
    bool forced = limits && must_ask(layout, limits, rule->table, j);
    Search how = search_of(layout, limits, j, output, price);
    best_table(s1, s2, kind, &how, PART(layout, layout->axis.at, j), new);
    if (forced && !is_used(new, n_crisp) && !best_literal(s1, s2, layout, j, how.price, how.direction, new))
        return KEPT;
    if (!differ(new, old, n_slots)) return KEPT;
    if (!must_change(layout, j, old, no_span)) {
        double after = table_cost(new, n_slots, s1, s2, kind, how.price, how.negation, how.extra);
        double before = table_cost(old, n_slots, s1, s2, kind, how.price, how.negation, how.extra);
        if (after >= before - 1e-9) return KEPT;
    }
    /* A probability of missing values keeps moving a little with the biases: that must not keep the sweeps going. */
    return differ(new, old, n_crisp) ? CHANGED : MOVED;
}

/* Objective of a fuzzy table: squared error, the price of its literals, the digits of its boundaries. */
static double span_cost(const SlotLayout *layout, int64_t j, const double *table, const int64_t *span, const double *s1,
                        const double *s2, double price) {
    int64_t n_slots = SLOTS(layout, j);
    double found = price * span_literals(table, n_slots, layout->n_known.at[j], span);
    if (is_used(table, n_slots)) found += price * extra_literals(layout, j);
    for (int side = 0; side < 2; side++)
        found += span[side] >= 0 ? layout->place_penalties.at[layout->place_offsets.at[j] + span[side]] : 0.0;
    for (int64_t v = 0; v < n_slots; v++) found += s2[v] * table[v] * table[v] - 2.0 * s1[v] * table[v];
    return found;
}

/* Write the best fuzzy table to `new`, its boundaries to `span`; return whether it is better than the old one. */
static int improve_span(const SlotLayout *layout, int64_t j, const double *old, int64_t *span, const double *s1,
                        const double *s2, double price, double *new) {
    int64_t n_slots = SLOTS(layout, j), best[2];
    if (!is_used(old, n_slots)) {
        double bound = most_saved(s1, s2, n_slots, layout->n_known.at[j]);
        if (bound <= price * (1.0 + extra_literals(layout, j))) return KEPT;
    }
    double cost = best_fuzzy_table(layout, j, s1, s2, price, best, new);
    bool kept = !must_change(layout, j, old, span); /* a crisp or a soft table gives way */
    if (!differ(new, old, n_slots)) return KEPT;
    if (kept && cost >= span_cost(layout, j, old, span, s1, s2, price) - 1e-9) return KEPT;
    int change = span[0] != best[0] || span[1] != best[1] ? CHANGED : MOVED;
    span[0] = best[0];
    span[1] = best[1];
    return change;
}

/* The rows of a lifted rule with their terms, and the most that a condition on an unused feature can save. */
typedef struct {
    Within within;
    double saved, *first, *second;
} Weighed;

static void weigh_rows(const Lifted *rule, Weighed *rows) {
    const State *state = rule->state;
    rows->within = rows_within_one(&state->zeros, state->room.at);
    rows->saved = weigh_covered(state->room.at, rows->within.covered, state->product.at, rule->bias, state->q1.at,
                                state->q2.at, rows->first, rows->second);
}

/* Whether a feature that the rule does not ask about yet can be left out at once. */
static bool is_not_worth(const Lifted *rule, int64_t j, double saved, double price) {
    const SlotLayout *layout = rule->layout;
    if (!rule->limits && saved <= price * (1.0 + extra_literals(layout, j))) return true;
    return layout->max_conditions > 0 && count_conditions(layout, rule->table) >= layout->max_conditions;
}

/* Write the best table of one feature to `new`, given its sums; return what became of it. */
static int improve_condition(const Lifted *rule, int64_t j, const double *old, int64_t *span, const double *s1,
                             const double *s2, double price, int64_t output, double *new) {
    fill(new, SLOTS(rule->layout, j), 1.0);
    if (has_fuzzy_places(rule->layout, j)) return improve_span(rule->layout, j, old, span, s1, s2, price, new);
    return improve_table(rule, j, old, s1, s2, price, output, new);
}

/* Find the best table of one feature; return what became of it. */
static int improve_feature(const Lifted *rule, int64_t j, const double *old, int64_t *span, const Weighed *rows,
                           double price, int64_t output, double *new) {
    const SlotLayout *layout = rule->layout;
    double s1[MOST_SLOTS], s2[MOST_SLOTS];
    int64_t n_slots = SLOTS(layout, j);
    if (is_used(old, n_slots))
        sums_of(rule, j, old, rows->within.count, s1, s2);
    else {
        if (is_not_worth(rule, j, rows->saved, price)) return KEPT;
        covered_sums(ROW(*rule->codes, j), rule->state->room.at, rows->within.covered, rows->first, rows->second,
                     s1, s2, n_slots);
    }
    return improve_condition(rule, j, old, span, s1, s2, price, output, new);
}

/* The same of a rule whose rows are out of reach, given the sums and the most that an unused feature can save. */
EXPORT(int64_t, improve_feature)(const SlotLayout *layout, const Limits *limits, const Doubles *table, int64_t j,
                                 const Integers *span, const Doubles *s1, const Doubles *s2, double saved, double price,
                                 int64_t output, const Doubles *new) {
    Lifted rule = {NULL, layout, limits, table->at, 0.0, NULL};
    const double *old = PART(layout, rule.table, j);
    if (!is_used(old, SLOTS(layout, j)) && is_not_worth(&rule, j, saved, price)) return KEPT;
    return improve_condition(&rule, j, old, span->at, s1->at, s2->at, price, output, new->at);
}

/* Give each feature of one rule of an output its best table in turn; return the number of changes.

   The state of the rule is kept up to date. A condition that leaves less than the `least` weight of rows is not put in,
   unless the rule covered even less before. */
static int64_t improve_rule(const Lifted *rule, const double *weights, int64_t *spans, double price,
                            const int64_t *order, int64_t output, double least, double *terms) {
    const SlotLayout *layout = rule->layout;
    int64_t n_features = rule->codes->n, changes = 0;
    Weighed rows = {{0, 0}, 0.0, terms, terms + rule->codes->m};
    weigh_rows(rule, &rows);
    double before = least > 0.0 ? covered_weight(rule->state, weights) : 0.0, old[MOST_SLOTS], new[MOST_SLOTS];
    for (int64_t x = 0; x < n_features; x++) {
        int64_t j = order[x], *span = SPAN(spans, j), old_span[2] = {span[0], span[1]};
        memcpy(old, PART(layout, rule->table, j), (size_t)SLOTS(layout, j) * sizeof(double));
        int change = improve_feature(rule, j, old, span, &rows, price, output, new);
        if (change == KEPT) continue;
        put(rule, j, new);
        if (least > 0.0) {
            double now = covered_weight(rule->state, weights);
            if (now < MIN(least, before) && !must_change(layout, j, old, old_span)) {
                put(rule, j, old);
                span[0] = old_span[0];
                span[1] = old_span[1];
                continue;
            }
            before = now;
        }
        changes += change == CHANGED;
        weigh_rows(rule, &rows);
    }
    if (layout->max_conditions > 0) {
        changes += trim_rule(rule);
        for (int64_t j = 0; j < n_features; j++)
            if (!ASKS(layout, rule->table, j)) SPAN(spans, j)[0] = SPAN(spans, j)[1] = -1;
    }
    return changes;
}

/* Number of literals of a rule, as the price counts them, times the factors of their features if there are any. */
static double rule_size(const SlotLayout *layout, const double *table, const int64_t *spans, const double *factors) {
    double found = 0.0;
    for (int64_t j = 0; j < layout->n_known.n; j++) {
        const double *part = PART(layout, table, j);
        int64_t n_slots = SLOTS(layout, j);
        double extra = is_used(part, n_slots) ? extra_literals(layout, j) : 0.0;
        if (has_fuzzy_places(layout, j)) {
            found += span_literals(part, n_slots, layout->n_known.at[j], SPAN(spans, j)) + extra;
            continue;
        }
        double count = literals(part, kind_of(layout, j), layout->negation) + extra;
        if (factors) count *= factors[j];
        found += count;
    }
    return found;
}

EXPORT(double, rule_size)(const SlotLayout *layout, const Limits *limits, const Doubles *table, const Integers *spans) {
    return rule_size(layout, table->at, spans->at, limits ? limits->factors.at : NULL);
}

#define SPANS_OF(draft, i) ((draft)->spans.at + (i) * (draft)->spans.m * 2)

/* Improve rules and their biases one after the other, or drop them; return the number of changes.

   `orders` gives for each visit the order of the features. */
EXPORT(int64_t, visit_rules)(const DescentRows *rows, const SlotLayout *layout, const Limits *limits,
                             const Draft *draft, const State *state, const Integers *visited, const Integers *orders,
                             double price, const Bytes *alive) {
    int64_t changes = 0;
    double row_weights = sum(rows->weights.at, rows->weights.n), *terms = NEW(double, 2 * rows->codes.m);
    for (int64_t place = 0; place < visited->n; place++) {
        int64_t i = visited->at[place], output = draft->output.at[i], *spans = SPANS_OF(draft, i);
        if (i < draft->n_fixed) continue;
        lift_rule(rows, layout, draft, state, i);
        double least = layout->least_shares.n > 0 ? layout->least_shares.at[output] * row_weights : 0.0;
        Lifted rule = {&rows->codes, layout, limits, ROW(draft->tables, i), MAX(draft->bias.at[i], LEAST_BIAS),
                       state};
        changes += improve_rule(&rule, rows->weights.at, spans, price, orders->at + place * orders->m, output, least,
                                terms);
        if (limits) changes += swap_conditions(&rule, price, output);
        double size = rule_size(layout, rule.table, spans, limits ? limits->factors.at : NULL);
        double gain = settle_rule(draft, state, i);
        if (size == 0.0 || gain <= price * size) {
            drop_rule(draft, state, i, alive, size == 0.0);
            changes++;
        }
    }
    free(terms);
    return changes;
}

/* Closed-form sums of a feature of the lifted rule i. */
EXPORT(void, lifted_sums)(const DescentRows *rows, const SlotLayout *layout, const Draft *draft, const State *state,
                          int64_t i, int64_t j, const Doubles *s1, const Doubles *s2) {
    Within within = rows_within_one(&state->zeros, state->room.at);
    feature_sums(ROW(rows->codes, j), PART(layout, ROW(draft->tables, i), j), SLOTS(layout, j),
                 MAX(draft->bias.at[i], LEAST_BIAS), state, within.count, s1->at, s2->at);
}

/* Exchange a feature's table in the lifted rule i. */
EXPORT(void, put_table)(const DescentRows *rows, const SlotLayout *layout, const Draft *draft, const State *state,
                        int64_t i, int64_t j, const Doubles *new) {
    put_table(&rows->codes, layout, ROW(draft->tables, i), j, new->at, state);
}

/* Best bias of each output; `absence` is the share of one more row, of the label's own frequency. */
EXPORT(void, fit_output_biases)(const DescentRows *rows, const Draft *draft, const State *state,
                                const Doubles *absence) {
    for (int64_t k = 0; k < draft->output_bias.n; k++) {
        double first, second;
        output_sums(ROW(rows->targets, k), rows->weights.at, ZEROS_OF(state, k), PRODUCT_OF(state, k), rows->weights.n,
                    &first, &second);
        double absent = (first + absence->at[k]) / (second + 1.0);
        absent = MAX(absent, 0.0);
        draft->output_bias.at[k] = 1.0 - MIN(absent, 1.0);
    }
}

/* Weighted squared error over all outputs. */
EXPORT(double, descent_error)(const DescentRows *rows, const Draft *draft, const State *state) {
    double found = 0.0;
    for (int64_t k = 0; k < draft->output_bias.n; k++)
        found += squared_error(ROW(rows->targets, k), rows->weights.at, ZEROS_OF(state, k), PRODUCT_OF(state, k),
                               draft->output_bias.at[k], rows->weights.n);
    return found;
}

/* Number of literals of each rule, as the price counts them. */
EXPORT(void, rule_sizes)(const SlotLayout *layout, const Doubles *tables, const Integers *spans, const Doubles *sizes) {
    for (int64_t i = 0; i < tables->n; i++)
        sizes->at[i] = rule_size(layout, ROW(*tables, i), spans->at + i * spans->m * 2, NULL);
}

EXPORT(void, activate_rule)(const DescentRows *rows, const SlotLayout *layout, const Draft *draft, const State *state,
                            int64_t i) {
    activate_rule(rows, layout, draft, state, i);
}

EXPORT(void, multiply_into_output)(const Draft *draft, const State *state, int64_t i) {
    multiply_into_output(draft, state, i);
}

EXPORT(void, lift_rule)(const DescentRows *rows, const SlotLayout *layout, const Draft *draft, const State *state,
                        int64_t i) {
    lift_rule(rows, layout, draft, state, i);
}

EXPORT(double, settle_rule)(const Draft *draft, const State *state, int64_t i) { return settle_rule(draft, state, i); }

/* Fit the bias of each rule in turn, given all others; write what the rules are worth. */
EXPORT(void, settle_rules)(const DescentRows *rows, const SlotLayout *layout, const Draft *draft, const State *state,
                           const Bytes *alive, const Doubles *worth) {
    for (int64_t i = 0; i < alive->n; i++) {
        if (!alive->at[i]) continue;
        lift_rule(rows, layout, draft, state, i);
        worth->at[i] = settle_rule(draft, state, i);
    }
}

/* Mix a number into a hash. */
INLINE uint64_t mixed(uint64_t hash, const void *number) {
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* Hashes of what the rules ask: of their tables, but of fuzzy conditions the boundaries alone. */
EXPORT(void, rule_hashes)(const SlotLayout *layout, const Doubles *tables, const Integers *spans, const Bytes *wanted,
                          const Integers *hashes) {
    for (int64_t i = 0; i < tables->n; i++) {
        if (!wanted->at[i]) continue;
        uint64_t lanes[4] = {1, 2, 3, 4}; /* one alone would wait for each product */
        const int64_t *own = spans->at + i * spans->m * 2;
        for (int64_t j = 0; j < spans->m; j++) {
            const double *part = PART(layout, ROW(*tables, i), j);
            int64_t n_slots = SLOTS(layout, j), v = 0;
            lanes[0] = mixed(lanes[0], SPAN(own, j));
            lanes[1] = mixed(lanes[1], SPAN(own, j) + 1);
            if (SPAN(own, j)[0] >= 0 || SPAN(own, j)[1] >= 0) continue;
            for (; v + 4 <= n_slots; v += 4)
                for (int lane = 0; lane < 4; lane++) lanes[lane] = mixed(lanes[lane], part + v + lane);
            for (; v < n_slots; v++) lanes[0] = mixed(lanes[0], part + v);
        }
        for (int lane = 1; lane < 4; lane++) lanes[0] = mixed(lanes[0], lanes + lane);
        memcpy(hashes->at + i, lanes, sizeof(int64_t));
    }
}

EXPORT(void, drop_rule)(const Draft *draft, const State *state, int64_t i, const Bytes *alive, int64_t absorb) {
    drop_rule(draft, state, i, alive, absorb);
}
