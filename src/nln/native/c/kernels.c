/* All kernels as one unit, so that the compiler sees through every call. */
#include "modules.c"
#include "learned_intervals.c"
#include "steps.c"
#include "passes.c"

#include "statistics.c"
#include "best_arcs.c"
#include "best_table.c"
#include "spans.c"
#include "limits.c"
#include "shapes.c"
#include "visits.c"

#include "regions.c"
#include "products.c"
#include "shared_intervals.c"

#ifdef FIRST_LEVEL
/* Number of the highest level that this processor has, in the order of `nln.native.building.levels`. */
VISIBLE int highest_level(void) {
#if defined(__x86_64__) || defined(_M_X64)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
    return 0;
#endif
}

/* Sizes of the structures that Python fills, for the tests. */
VISIBLE int64_t structure_size(int64_t which) {
    const size_t sizes[] = {sizeof(Layout),      sizeof(Weights), sizeof(Scratch), sizeof(Rows), sizeof(Steps),
                            sizeof(SlotLayout),  sizeof(Limits),  sizeof(DescentRows), sizeof(Draft), sizeof(State),
                            sizeof(Kind),        sizeof(SharedFeature), sizeof(WholeNetwork)};
    return which < (int64_t)(sizeof sizes / sizeof sizes[0]) ? (int64_t)sizes[which] : -1;
}
#endif
