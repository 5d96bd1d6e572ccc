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
#include "bags.c"
#include "soft_bags.c"
#include "telling.c"
#include "products.c"
#include "shared_intervals.c"

#ifdef FIRST_LEVEL
#if defined(__x86_64__)
#include <cpuid.h>

/* Whether the processor has the instructions of level v3 that are used, and the system keeps their registers. */
static bool has_avx2(void) {
    unsigned a, b, c, d, low, high;
    const unsigned avx2_bmi_bmi2 = 1u << 5 | 1u << 3 | 1u << 8, osxsave = 1u << 27;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & osxsave)) return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    return (b & avx2_bmi_bmi2) == avx2_bmi_bmi2;
}
#else
static bool has_avx2(void) { return false; }
#endif

/* Number of the highest level that this processor has, in the order of `nln.native.building.levels`. */
VISIBLE int highest_level(void) { return has_avx2(); }

/* Sizes of the structures that Python fills, for the tests. */
VISIBLE int64_t structure_size(int64_t which) {
    const size_t sizes[] = {sizeof(Layout),      sizeof(Weights), sizeof(Scratch), sizeof(Rows), sizeof(Steps),
                            sizeof(SlotLayout),  sizeof(Limits),  sizeof(DescentRows), sizeof(Draft), sizeof(State),
                            sizeof(Kind),        sizeof(SharedFeature), sizeof(WholeNetwork)};
    return which < (int64_t)(sizeof sizes / sizeof sizes[0]) ? (int64_t)sizes[which] : -1;
}
#endif
