/*
 * The fluid solver as one translation unit. Its parts call each other some hundred times for a flow that
 * comes and goes; a compiler that sees them together needs a twentieth less time for it, and another when it
 * is told what to inline. Here stands what the parts call in each other.
 */
/* No vectors of the compiler's: much is read here that was written just now, and the processor can't forward
 * to one load what two stores wrote. */
#ifdef __OPTIMIZE__
#pragma GCC optimize("no-tree-vectorize")
#endif

#include "models/network/fluid_internal.h"

/* fluid_room.c: twice the room (a first one: 8 elements) of the array whose pointer ARRAY points to, when it
 * is less than COUNT elements of SIZE; one item more. False, and fluid_failed, when memory runs out; the same
 * is true below. */
static inline bool fluid_grow(struct fluid *fluid, void *array, uint32_t *room, uint32_t count, size_t size);
static bool fluid_list_add(struct fluid *fluid, struct fluid_list *list, uint32_t item);

/* fluid.c: whole bits that a flow has sent so far. */
static uint64_t fluid_flow_sent(const struct fluid *fluid, uint32_t number);

/* fluid_queue.c: from the class's first flow on, NEXT gives all, in some order, and then FLUID_NONE. */
static inline void fluid_queue_add(struct fluid *fluid, struct fluid_class *class, uint32_t flow);
static inline void fluid_queue_remove(struct fluid *fluid, struct fluid_class *class, uint32_t flow);
static uint32_t fluid_queue_next(const struct fluid *fluid, uint32_t flow);

/* fluid_class.c: the class of a path, its weight already with that of a flow that is to be added next, NULL
 * without memory; a flow more; a flow less, which takes its weight along; the member's link holds the class
 * from now on; the class's clock at this instant. */
static inline struct fluid_class *fluid_class_get(struct fluid *fluid, const struct fluid_list *path,
                                                  double weight);
static inline bool fluid_class_add(struct fluid *fluid, struct fluid_class *class, uint32_t flow);
static inline void fluid_class_remove(struct fluid *fluid, struct fluid_class *class, uint32_t flow);
static inline bool fluid_class_move(struct fluid *fluid, struct fluid_member *member);
static inline fluid_clock fluid_class_clock(const struct fluid *fluid, const struct fluid_class *class);

/* fluid_pair.c: a row without pairs; the pairs of a class, and what it loads on the links other than its
 * holder, at the holder's level: all of it comes, all goes, or WEIGHT more. The last class that leaves ends a
 * pair. */
static bool fluid_row_open(struct fluid *fluid, struct fluid_row *row);
static inline bool fluid_pairs_join(struct fluid *fluid, struct fluid_class *class, double level);
static inline void fluid_pairs_leave(struct fluid *fluid, const struct fluid_class *class, double level);
static inline void fluid_pairs_weigh(struct fluid *fluid, const struct fluid_class *class, double level,
                                     double weight);

/* fluid_hub.c: a flow's weight on its hubs; a class that TO is to hold; hubs that came above what they watch
 * for; a hub's load summed afresh; what it has carried of flows under way; a hub that is to be an ordinary
 * link again; new hubs, true when there are some. */
static inline void fluid_hubs_weigh(struct fluid *fluid, struct fluid_class *class, uint32_t hubs,
                                    double weight);
static inline void fluid_hubs_move(struct fluid *fluid, const struct fluid_class *class, uint32_t to);
static inline void fluid_hubs_note(struct fluid *fluid);
static void fluid_hub_load_afresh(struct fluid *fluid, uint32_t link);
static fluid_bits fluid_hub_sent(const struct fluid *fluid, uint32_t link);
static void fluid_hub_end(struct fluid *fluid, uint32_t link);
static bool fluid_hubs_choose(struct fluid *fluid);

/* fluid_level.c: more load, or less; a load that came above what the link watches for; what it watches for,
 * anew, as its capacity or peak changed, or whether it holds something; all levels; a load summed afresh. */
static inline void fluid_add_load(struct fluid *fluid, uint32_t link, double rate);
static inline void fluid_note_load(struct fluid *fluid, uint32_t link);
static inline void fluid_watch(struct fluid *fluid, uint32_t link);
static inline void fluid_solve(struct fluid *fluid);
static void fluid_load_afresh(struct fluid *fluid, uint32_t link);

/* fluid_due.c: room for so many links; the time when a flow is over that ends at FINISH on the clock of the
 * link that holds it; a link's time into the tournament; the tournament brought up to date when all levels
 * are found; the first time of all, SIM_NEVER when none is due; a link that is due by NOW, or FLUID_NONE. */
static bool fluid_due_grow(struct fluid *fluid, uint32_t links);
static inline sim_time fluid_due_time(const struct fluid *fluid, uint32_t link, fluid_clock finish);
static inline void fluid_due_set(struct fluid *fluid, uint32_t link, sim_time time);
static void fluid_due_finish(struct fluid *fluid);
static inline sim_time fluid_due_first(struct fluid *fluid);
static inline uint32_t fluid_due_at(struct fluid *fluid, sim_time now);

#include "models/network/fluid.c"
#include "models/network/fluid_class.c"
#include "models/network/fluid_due.c"
#include "models/network/fluid_hub.c"
#include "models/network/fluid_level.c"
#include "models/network/fluid_pair.c"
#include "models/network/fluid_queue.c"
#include "models/network/fluid_room.c"
