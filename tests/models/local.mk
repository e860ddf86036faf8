# Tests of models/: check_PROGRAMS += tests/check_NAME, tests_check_NAME_SOURCES = %D%/check_NAME.c, tests_check_NAME_LDADD = $(models_libs) $(CHECK_LIBS)
models_fixture = \
	%D%/fixture.c \
	%D%/fixture.h

# Outages by a script, in place of the failure process
outage_script = \
	%D%/script.c \
	%D%/script.h
outage_script_flags = -Wl,--wrap=outages_create,--wrap=outages_destroy,--wrap=outages_count,--wrap=outages_causes,--wrap=outages_begin_counting,--wrap=outages_mean_repair,--wrap=outages_repairs,--wrap=outages_failed,--wrap=outages_put_behind,--wrap=outages_house_syncer

# Memory that runs out where a test says
scarce_memory = \
	%D%/scarce_memory.c \
	%D%/scarce_memory.h
scarce_memory_flags = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc

# Networks of sites by hand
sites_fixture = \
	%D%/sites_fixture.h

# Runs made up at random
random_run = \
	%D%/random_run.c \
	%D%/random_run.h

# What the tests of chance hold samples against
statistics = \
	tests/sim/statistics.c \
	tests/sim/statistics.h

# Parts of models
check_PROGRAMS += \
	tests/check_activity \
	tests/check_availability \
	tests/check_playback \
	tests/check_capacity \
	tests/check_chaos_draw \
	tests/check_checkpoint \
	tests/check_chip \
	tests/check_domains \
	tests/check_fragments \
	tests/check_gpu \
	tests/check_gpu_device \
	tests/check_grace \
	tests/check_hardware \
	tests/check_initialisation \
	tests/check_layout \
	tests/check_link_faults \
	tests/check_matching \
	tests/check_observation \
	tests/check_outages \
	tests/check_outbox \
	tests/check_overlap \
	tests/check_pipeline \
	tests/check_repair \
	tests/check_route \
	tests/check_sites \
	tests/check_spares \
	tests/check_topology \
	tests/check_traffic \
	tests/check_unit_table
tests_check_playback_SOURCES = %D%/check_playback.c
tests_check_playback_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_availability_SOURCES = %D%/check_availability.c $(models_fixture) $(sites_fixture)
tests_check_availability_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_capacity_SOURCES = %D%/check_capacity.c $(sites_fixture)
tests_check_capacity_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_chaos_draw_SOURCES = %D%/check_chaos_draw.c $(sites_fixture)
tests_check_chaos_draw_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_checkpoint_SOURCES = %D%/check_checkpoint.c $(models_fixture)
tests_check_checkpoint_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_chip_SOURCES = %D%/check_chip.c
tests_check_chip_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_domains_SOURCES = %D%/check_domains.c
tests_check_domains_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_fragments_SOURCES = %D%/check_fragments.c
tests_check_fragments_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_gpu_SOURCES = %D%/check_gpu.c
tests_check_gpu_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_gpu_device_SOURCES = %D%/check_gpu_device.c
tests_check_gpu_device_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_grace_SOURCES = %D%/check_grace.c
tests_check_grace_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_hardware_SOURCES = %D%/check_hardware.c $(models_fixture)
tests_check_hardware_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_initialisation_SOURCES = %D%/check_initialisation.c
tests_check_initialisation_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_layout_SOURCES = %D%/check_layout.c $(models_fixture)
tests_check_layout_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_link_faults_SOURCES = %D%/check_link_faults.c $(sites_fixture)
tests_check_link_faults_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_matching_SOURCES = %D%/check_matching.c $(statistics)
tests_check_matching_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_observation_SOURCES = %D%/check_observation.c $(models_fixture) $(sites_fixture)
tests_check_observation_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_outages_SOURCES = %D%/check_outages.c $(models_fixture) $(statistics)
tests_check_outages_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_overlap_SOURCES = %D%/check_overlap.c $(models_fixture)
tests_check_overlap_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_outbox_SOURCES = %D%/check_outbox.c
tests_check_outbox_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_pipeline_SOURCES = %D%/check_pipeline.c $(models_fixture) $(statistics)
tests_check_pipeline_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_repair_SOURCES = %D%/check_repair.c $(models_fixture) $(statistics)
tests_check_repair_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_route_SOURCES = %D%/check_route.c $(sites_fixture)
tests_check_route_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_sites_SOURCES = %D%/check_sites.c $(sites_fixture)
tests_check_sites_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_spares_SOURCES = %D%/check_spares.c
tests_check_spares_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_traffic_SOURCES = %D%/check_traffic.c $(sites_fixture)
tests_check_traffic_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_topology_SOURCES = %D%/check_topology.c
tests_check_topology_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_unit_table_SOURCES = %D%/check_unit_table.c
tests_check_unit_table_LDADD = $(models_libs) $(CHECK_LIBS)

# The fluid network
check_PROGRAMS += \
	tests/check_collective \
	tests/check_flows \
	tests/check_fluid \
	tests/check_fluid_many
tests_check_collective_SOURCES = %D%/check_collective.c $(scarce_memory)
tests_check_collective_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_collective_LDFLAGS = $(AM_LDFLAGS) $(scarce_memory_flags)
tests_check_flows_SOURCES = %D%/check_flows.c
tests_check_flows_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_fluid_SOURCES = %D%/check_fluid.c
tests_check_fluid_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_fluid_many_SOURCES = %D%/check_fluid_many.c
tests_check_fluid_many_LDADD = $(models_libs) $(CHECK_LIBS)

# Whole runs
check_PROGRAMS += \
	tests/check_optimum \
	tests/check_closed_forms \
	tests/check_cost \
	tests/check_decoupled \
	tests/check_diloco \
	tests/check_faults \
	tests/check_gossip \
	tests/check_layers \
	tests/check_learner \
	tests/check_link_waits \
	tests/check_memory \
	tests/check_networks \
	tests/check_slots \
	tests/check_strategies \
	tests/check_syncer_loss \
	tests/check_waste \
	tests/check_wide_area
threaded_tests += tests/check_strategies
tests_check_optimum_SOURCES = %D%/check_optimum.c $(models_fixture)
tests_check_optimum_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_closed_forms_SOURCES = %D%/check_closed_forms.c $(models_fixture)
tests_check_closed_forms_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_cost_SOURCES = %D%/check_cost.c $(models_fixture) $(outage_script)
tests_check_cost_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_cost_LDFLAGS = $(AM_LDFLAGS) $(outage_script_flags)
tests_check_decoupled_SOURCES = %D%/check_decoupled.c $(models_fixture) $(outage_script)
tests_check_decoupled_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_decoupled_LDFLAGS = $(AM_LDFLAGS) $(outage_script_flags)
tests_check_diloco_SOURCES = %D%/check_diloco.c $(models_fixture) $(outage_script)
tests_check_diloco_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_diloco_LDFLAGS = $(AM_LDFLAGS) $(outage_script_flags)
tests_check_faults_SOURCES = %D%/check_faults.c $(models_fixture) $(statistics)
tests_check_faults_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_gossip_SOURCES = %D%/check_gossip.c $(models_fixture) $(outage_script)
tests_check_gossip_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_gossip_LDFLAGS = $(AM_LDFLAGS) $(outage_script_flags)
tests_check_layers_SOURCES = %D%/check_layers.c $(models_fixture) $(outage_script) $(sites_fixture)
tests_check_layers_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_layers_LDFLAGS = $(AM_LDFLAGS) $(outage_script_flags)
tests_check_learner_SOURCES = %D%/check_learner.c $(models_fixture) $(outage_script)
tests_check_learner_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_learner_LDFLAGS = $(AM_LDFLAGS) $(outage_script_flags)
tests_check_link_waits_SOURCES = %D%/check_link_waits.c $(models_fixture) $(random_run) $(sites_fixture)
tests_check_link_waits_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_memory_SOURCES = %D%/check_memory.c $(scarce_memory) $(models_fixture) $(sites_fixture)
tests_check_memory_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(scarce_memory_flags)
tests_check_networks_SOURCES = %D%/check_networks.c $(models_fixture) $(random_run) $(sites_fixture)
tests_check_networks_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_slots_SOURCES = %D%/check_slots.c $(models_fixture) $(outage_script)
tests_check_slots_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_slots_LDFLAGS = $(AM_LDFLAGS) $(outage_script_flags)
tests_check_strategies_SOURCES = %D%/check_strategies.c $(models_fixture) $(random_run)
tests_check_strategies_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_syncer_loss_SOURCES = %D%/check_syncer_loss.c $(models_fixture)
tests_check_syncer_loss_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_activity_SOURCES = %D%/check_activity.c $(models_fixture) $(random_run)
tests_check_activity_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_waste_SOURCES = %D%/check_waste.c $(models_fixture) $(random_run)
tests_check_waste_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_wide_area_SOURCES = %D%/check_wide_area.c $(models_fixture) $(sites_fixture) $(outage_script)
tests_check_wide_area_LDADD = $(models_libs) $(CHECK_LIBS)
tests_check_wide_area_LDFLAGS = $(AM_LDFLAGS) $(outage_script_flags)
