models_libmodels_a_SOURCES += \
	%D%/causes.c %D%/causes.h \
	%D%/chaos.c %D%/chaos.h \
	%D%/chaos_check.c \
	%D%/chaos_draw.c \
	%D%/chaos_limits.c %D%/chaos_limits.h \
	%D%/chaos_select.c %D%/chaos_select.h \
	%D%/checkpoint.c %D%/checkpoint.h \
	%D%/chip_failures.c %D%/chip_failures.h \
	%D%/failures.c %D%/failures.h \
	%D%/fault.c %D%/fault.h \
	%D%/initialisation.c %D%/initialisation.h \
	%D%/interval.c %D%/interval.h \
	%D%/rate.c %D%/rate.h \
	%D%/outages.c %D%/outages.h %D%/outages_internal.h \
	%D%/outages_availability.c \
	%D%/outages_repair.c \
	%D%/outages_slices.c \
	%D%/outages_strike.c \
	%D%/process.c %D%/process.h \
	%D%/source.c %D%/source.h \
	%D%/playback.c %D%/playback.h \
	%D%/repair.c %D%/repair.h %D%/repair_config.c %D%/repair_config.h \
	%D%/spares.c %D%/spares.h \
	%D%/spells.c %D%/spells.h \
	%D%/traced_faults.c %D%/traced_faults.h \
	%D%/unit_table.c %D%/unit_table.h \
	%D%/units.c %D%/units.h
