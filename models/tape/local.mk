models_libmodels_a_SOURCES += \
	%D%/rule.h \
	%D%/snapshots.c %D%/snapshots.h \
	%D%/tape.c %D%/tape.h \
	%D%/tape_check.c \
	%D%/tape_codec.c \
	%D%/tape_fields.h \
	%D%/tape_json.c
