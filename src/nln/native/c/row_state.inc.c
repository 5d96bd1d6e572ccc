/* Passes over the rows' counts of failed conditions, for one width of the counts (COUNT, NAMED). */

/* Multiply one feature's look-ups into the rows' state: the count of zero factors, the product of the others. */
static void NAMED(multiply)(const Code *restrict codes, const double *table, int64_t n_slots, COUNT *restrict zeros,
                            double *restrict product, int64_t n_rows) {
    COUNT is_zero[MOST_SLOTS];
    double factor[MOST_SLOTS];
    bool soft = false;
    for (int64_t v = 0; v < n_slots; v++) {
        is_zero[v] = table[v] < ZERO;
        factor[v] = is_zero[v] ? 1.0 : table[v];
        soft = soft || factor[v] != 1.0;
    }
    for (int64_t n = 0; n < n_rows; n++) zeros[n] = (COUNT)(zeros[n] + is_zero[codes[n]]);
    if (soft)
        for (int64_t n = 0; n < n_rows; n++) product[n] *= factor[codes[n]];
}

/* Exchange one feature's table in the rows' state. */
static void NAMED(replace)(const Code *restrict codes, const double *old, const double *new, int64_t n_slots,
                           COUNT *restrict zeros, double *restrict product, int64_t n_rows) {
    COUNT step[MOST_SLOTS]; /* modulo the width, so that a step down is one up */
    double divisor[MOST_SLOTS], factor[MOST_SLOTS];
    bool soft = false;
    for (int64_t v = 0; v < n_slots; v++) {
        bool differ = old[v] != new[v], was = old[v] < ZERO, now = new[v] < ZERO;
        step[v] = (COUNT)(differ ? now - was : 0);
        divisor[v] = differ && !was ? old[v] : 1.0;
        factor[v] = differ && !now ? new[v] : 1.0;
        soft = soft || divisor[v] != 1.0 || factor[v] != 1.0;
    }
    for (int64_t n = 0; n < n_rows; n++) zeros[n] = (COUNT)(zeros[n] + step[codes[n]]);
    if (soft)
        for (int64_t n = 0; n < n_rows; n++) product[n] = product[n] / divisor[codes[n]] * factor[codes[n]];
}

/* Collect the rows from `n` on that fail `wanted` conditions; return how many are collected now. */
static int64_t NAMED(collect)(const COUNT *restrict zeros, int64_t n, int64_t n_rows, COUNT wanted,
                              int64_t *restrict active, int64_t count) {
#ifdef WORDS /* most rows fail more: the counts of eight rows are one word, in which the bytes wanted become bits */
    for (; n + 8 <= n_rows; n += 8) {
        uint64_t word, low = 0x7f7f7f7f7f7f7f7fu;
        memcpy(&word, zeros + n, sizeof word);
        word ^= wanted * 0x0101010101010101u;
        for (uint64_t found = ~(((word & low) + low) | word | low); found; found &= found - 1)
            active[count++] = n + (__builtin_ctzll(found) >> 3);
    }
#endif
    for (; n < n_rows; n++)
        if (zeros[n] == wanted) active[count++] = n;
    return count;
}

/* Collect the rows that fail no condition, then those that fail one; count both. */
static int64_t NAMED(rows_within_one)(const COUNT *zeros, int64_t n_rows, int64_t *active, int64_t *covered) {
    *covered = NAMED(collect)(zeros, 0, n_rows, 0, active, 0);
    return NAMED(collect)(zeros, 0, n_rows, 1, active, *covered);
}

/* Sums s1, s2 of one feature over the rows that fail no other condition. */
static void NAMED(slot_sums)(const Code *codes, const int64_t *active, int64_t count, const COUNT *zeros,
                             const double *product, const double *table, int64_t n_slots, double bias, const double *q1,
                             const double *q2, double *s1, double *s2) {
    fill(s1, n_slots, 0.0);
    fill(s2, n_slots, 0.0);
    for (int64_t x = 0; x < count; x++) {
        int64_t n = active[x], v = codes[n];
        double here = table[v], others;
        if (here < ZERO)
            others = bias * product[n];
        else if (zeros[n] == 0)
            others = bias * product[n] / here;
        else
            continue;
        s1[v] += q1[n] * others;
        s2[v] += q2[n] * others * others;
    }
}

/* The rule's activation without its bias. */
static void NAMED(activation)(const COUNT *restrict zeros, const double *restrict product, double *restrict out,
                              int64_t n_rows) {
    for (int64_t n = 0; n < n_rows; n++) out[n] = zeros[n] == 0 ? product[n] : 0.0;
}

/* Weight of the rows that a rule covers: those that satisfy it at least by half. */
static double NAMED(covered_weight)(const COUNT *zeros, const double *product, const double *weights, int64_t n_rows) {
    double found = 0.0;
    for (int64_t n = 0; n < n_rows; n++)
        if (zeros[n] == 0 && product[n] >= 0.5) found += weights[n];
    return found;
}
