dnl TRAINSTORM_COMPILE_FLAGS(VARIABLE, FLAGS): substitutes VARIABLE with those of FLAGS that the C
dnl compiler takes without a complaint, each probed on its own.
AC_DEFUN([TRAINSTORM_COMPILE_FLAGS],
[AC_SUBST([$1])
$1=
trainstorm_saved_CFLAGS=$CFLAGS
for trainstorm_flag in $2; do
  AC_MSG_CHECKING([whether $CC takes $trainstorm_flag])
  CFLAGS="$trainstorm_saved_CFLAGS -Werror $trainstorm_flag"
  AC_COMPILE_IFELSE([AC_LANG_SOURCE([[int probe(void); int probe(void) { return 0; }]])],
    [AC_MSG_RESULT([yes])
     AS_VAR_APPEND([$1], [" $trainstorm_flag"])],
    [AC_MSG_RESULT([no])])
done
CFLAGS=$trainstorm_saved_CFLAGS])
