/* What the AND weights of an interval do to the error, where all rules share the intervals.

One feature at a time: `above` are its dichotomies at the bins, (bins, dichotomies); `values` the intervals, (bins,
intervals); `or_weights` (intervals, rules); `others` the product of each rule's other features at the rows; `missing`
each rule's look-up for a missing value, whose code follows those of the bins. */
#include "descent.h"

typedef struct {
    Doubles above, values, or_weights, and_weights;
    Codes codes;
    Doubles others, missing;
} SharedFeature;

/* Membership of each bin in the interval of some AND weights: prod_d (1 - [A]+ + A s_d). */
static void shared_values(const Doubles *above, const double *vector, double *out) {
    fill(out, above->n, 1.0);
    for (int64_t d = 0; d < above->m; d++) {
        double a = vector[d];
        if (a == 0.0) continue;
        for (int64_t v = 0; v < above->n; v++) out[v] *= 1.0 - MAX(a, 0.0) + a * ROW(*above, v)[d];
    }
}

EXPORT(void, shared_values)(const Doubles *above, const Doubles *vector, const Doubles *out) {
    shared_values(above, vector->at, out->at);
}

/* Product of (1 - O I) over intervals at every bin, one left out (-1: none); the weights are `stride` apart. */
static void outside_values(const Doubles *values, const double *regular, int64_t stride, int64_t left_out,
                           double *out) {
    fill(out, values->n, 1.0);
    for (int64_t m = 0; m < values->m; m++) {
        double weight = regular[m * stride];
        if (m == left_out || weight == 0.0) continue;
        for (int64_t v = 0; v < values->n; v++) out[v] *= 1.0 - weight * ROW(*values, v)[m];
    }
}

EXPORT(void, outside_values)(const Doubles *values, const Doubles *regular, int64_t left_out, const Doubles *out) {
    outside_values(values, regular->at, 1, left_out, out->at);
}

/* Activation of a rule at every row if one interval had other values. */
static void activate_shared(const SharedFeature *feature, const double *inside, int64_t node, int64_t rule,
                            double *out) {
    int64_t n_bins = feature->values.n;
    double rest[MOST_SLOTS], a = feature->and_weights.at[rule], weight = ROW(feature->or_weights, node)[rule];
    outside_values(&feature->values, feature->or_weights.at + rule, feature->or_weights.m, node, rest);
    for (int64_t v = 0; v < n_bins; v++) {
        rest[v] *= 1.0 - weight * inside[v];
        rest[v] = 1.0 - MAX(a, 0.0) * rest[v] - MAX(-a, 0.0) * (1.0 - rest[v]);
    }
    const double *others = ROW(feature->others, rule);
    for (int64_t n = 0; n < feature->codes.n; n++) {
        Code code = feature->codes.at[n];
        out[n] = others[n] * (code < n_bins ? rest[code] : feature->missing.at[rule]);
    }
}

/* Outputs of the whole network as it is, for the error of some changed rules. */
typedef struct {
    Doubles activations, factors, output_bias, targets, weights;
} WholeNetwork;

/* Squared error over rows and outputs if some rules had other activations, (rules, rows). */
static double changed_error(const WholeNetwork *network, const int64_t *place, const double *changed, double *none) {
    int64_t n_rows = network->activations.m, n_rules = network->activations.n;
    double error = 0.0;
    for (int64_t k = 0; k < network->factors.n; k++) {
        const double *factors = ROW(network->factors, k);
        fill(none, n_rows, 1.0 - network->output_bias.at[k]);
        for (int pass = 0; pass < 2; pass++) { /* first the rules that stay, then those that change */
            for (int64_t r = 0; r < n_rules; r++) {
                if (factors[r] == 0.0 || (place[r] >= 0) != pass) continue;
                const double *active = pass ? changed + place[r] * n_rows : ROW(network->activations, r);
                for (int64_t n = 0; n < n_rows; n++) none[n] *= 1.0 - factors[r] * active[n];
            }
        }
        for (int64_t n = 0; n < n_rows; n++) {
            double miss = 1.0 - none[n] - ROW(network->targets, k)[n];
            error += network->weights.at[n] * miss * miss;
        }
    }
    return error;
}

/* Squared error over rows and outputs for each vector of AND weights of one interval. */
EXPORT(void, interval_errors)(const Doubles *vectors, int64_t node, const SharedFeature *feature,
                              const WholeNetwork *network, const Doubles *errors) {
    int64_t n_rules = feature->and_weights.n, n_rows = feature->codes.n, count = 0;
    int64_t *place = NEW(int64_t, n_rules); /* of a rule among those that use the interval, or -1 */
    for (int64_t r = 0; r < n_rules; r++) {
        bool uses = ROW(feature->or_weights, node)[r] != 0.0 && feature->and_weights.at[r] != 0.0;
        place[r] = uses ? count++ : -1;
    }
    double *changed = NEW(double, (count + 1) * n_rows), *none = changed + count * n_rows, inside[MOST_SLOTS];
    fill(errors->at, errors->n, 0.0);
    for (int64_t x = 0; x < (count ? vectors->n : 0); x++) {
        shared_values(&feature->above, ROW(*vectors, x), inside);
        for (int64_t r = 0; r < n_rules; r++)
            if (place[r] >= 0) activate_shared(feature, inside, node, r, changed + place[r] * n_rows);
        errors->at[x] = changed_error(network, place, changed, none);
    }
    free(place);
    free(changed);
}

/* Take over other AND weights of an interval, in `values` and in the activations of the rules that use it. */
EXPORT(void, put_interval)(const Doubles *vector, int64_t node, const SharedFeature *feature,
                           const Doubles *activations) {
    double inside[MOST_SLOTS];
    shared_values(&feature->above, vector->at, inside);
    for (int64_t r = 0; r < feature->and_weights.n; r++)
        if (ROW(feature->or_weights, node)[r] != 0.0 && feature->and_weights.at[r] != 0.0)
            activate_shared(feature, inside, node, r, ROW(*activations, r));
    for (int64_t v = 0; v < feature->values.n; v++) ROW(feature->values, v)[node] = inside[v];
}
