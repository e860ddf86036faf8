models_libmodels_a_SOURCES += \
	%D%/capacity.c %D%/capacity.h \
	%D%/network.c %D%/network.h \
	%D%/route.c %D%/route.h \
	%D%/sites.c %D%/sites.h
models_libmodels_a_SOURCES += \
	%D%/fluid_unit.c %D%/fluid.h %D%/fluid_heap.h %D%/fluid_internal.h \
	%D%/flows.c %D%/flows.h \
	%D%/collective.c %D%/collective.h \
	%D%/collective_plan.c %D%/collective_plan.h
# The parts of fluid_unit.c
EXTRA_DIST += \
	%D%/fluid.c %D%/fluid_class.c %D%/fluid_due.c %D%/fluid_hub.c %D%/fluid_level.c %D%/fluid_pair.c \
	%D%/fluid_queue.c %D%/fluid_room.c
