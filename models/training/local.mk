models_libmodels_a_SOURCES += \
	%D%/account.c %D%/account.h \
	%D%/activity.c %D%/activity.h \
	%D%/all_reduce.c \
	%D%/budget.c %D%/budget.h \
	%D%/chaos_ground.c %D%/chaos_ground.h \
	%D%/check.c \
	%D%/check_failures.c %D%/check_failures.h \
	%D%/check_hardware.c %D%/check_hardware.h \
	%D%/condenser.c %D%/condenser.h \
	%D%/cost.c %D%/cost.h \
	%D%/decoupled.c \
	%D%/decoupled_internal.h \
	%D%/decoupled_merges.c \
	%D%/decoupled_options.c \
	%D%/decoupled_snapshots.c \
	%D%/decoupled_syncer.c \
	%D%/diloco.c \
	%D%/domains.c %D%/domains.h \
	%D%/ending.c %D%/ending.h \
	%D%/fault.c %D%/fault.h \
	%D%/fragments.c %D%/fragments.h \
	%D%/gathering.c %D%/gathering.h \
	%D%/goal.c %D%/goal.h \
	%D%/gossip.c \
	%D%/gossip_aside.c \
	%D%/gossip_internal.h \
	%D%/gossip_meetings.c \
	%D%/gossip_options.c \
	%D%/gpu_overlap.c \
	%D%/grace.c %D%/grace.h \
	%D%/kind.h \
	%D%/impact.c %D%/impact.h \
	%D%/injection.c %D%/injection.h \
	%D%/layout.c %D%/layout.h \
	%D%/learner.c %D%/learner.h \
	%D%/learner_books.c \
	%D%/learner_faults.c \
	%D%/learner_internal.h \
	%D%/learner_slices.c \
	%D%/learner_steps.c \
	%D%/mark_board.c %D%/mark_board.h \
	%D%/matching.c %D%/matching.h \
	%D%/measures.c %D%/measures.h \
	%D%/observation.c %D%/observation.h \
	%D%/outbox.c %D%/outbox.h \
	%D%/recovery.c %D%/recovery.h \
	%D%/overlap.c %D%/overlap.h \
	%D%/reducer.c %D%/reducer.h \
	%D%/replicas.c %D%/replicas.h \
	%D%/result.c %D%/result.h \
	%D%/saving.c %D%/saving.h \
	%D%/simulation.c %D%/simulation.h \
	%D%/slots.c %D%/slots.h \
	%D%/strategy.c %D%/strategy.h \
	%D%/streaming.c \
	%D%/streaming_internal.h \
	%D%/streaming_options.c \
	%D%/streaming_release.c \
	%D%/streaming_window.c \
	%D%/topology.c %D%/topology.h \
	%D%/traffic.c %D%/traffic.h \
	%D%/traffic_collectives.c \
	%D%/traffic_faults.c \
	%D%/traffic_internal.h \
	%D%/traffic_links.c \
	%D%/trouble.c %D%/trouble.h \
	%D%/warm_up.c %D%/warm_up.h \
	%D%/waste.c %D%/waste.h \
	%D%/work.h \
	%D%/workload.c %D%/workload.h \
	%D%/world.c %D%/world.h \
	%D%/world_build.c %D%/world_build.h
