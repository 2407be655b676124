#!/bin/sh
# The include file in FORTRAN 77: fixed form, capitals, implicit types, names in
# CHARACTER*8, and a handle in eight bytes, the size of pointers. The program
# checks itself.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
[ "$enable_fortran" = yes ] || skip "built without Fortran"

cat >fixed.f <<'EOF'
C     COMMENTS OF THREE KINDS, AND NOTHING BEHIND COLUMN 72.
      PROGRAM FIXED
      INCLUDE 'gptl.inc'
      CHARACTER*8 NAMES(3), NAME
      REAL*8 WALL, USR, SYS
      INTEGER*8 HANDLE, ICOUNT(1)
      DATA NAMES /'LOOP', 'INNER', 'EXACTLY8'/
      DATA HANDLE /0/

      CALL NEED(GPTLSETOPTION(GPTLOVERHEAD, 0), 0, 1)
      CALL NEED(GPTLSETUTR(GPTLCLOCKGETTIME), 0, 2)
      CALL NEED(GPTLINITIALIZE(), 0, 3)
*     BY NAME
      DO 20 I = 1, 3
         DO 10 J = 1, I
            CALL NEED(GPTLSTART(NAMES(I)), 0, 10)
            CALL NEED(GPTLSTOP(NAMES(I)), 0, 11)
   10    CONTINUE
   20 CONTINUE
      DO 30 I = 1, 3
         CALL NEED(GPTLGET_COUNT(NAMES(I), -1, N), 0, 20)
         CALL NEED(N, I, 21)
         CALL NEED(GPTLGET_REGIONNAME(0, I - 1, NAME), 0, 22)
         IF (NAME .NE. NAMES(I)) CALL NEED(I, 0, 23)
   30 CONTINUE
!     BY HANDLE
      DO 40 I = 1, 3
         CALL NEED(GPTLSTART_HANDLE('HANDLE', HANDLE), 0, 30)
         CALL NEED(GPTLSTOP_HANDLE('HANDLE  ', HANDLE), 0, 31)
   40 CONTINUE
      IF (HANDLE .LE. 0 .OR. HANDLE .GT. 1000) CALL NEED(1, 0, 32)
      CALL NEED(GPTLSTART_HANDLE(NAMES(1), HANDLE), -1, 33)
      CALL NEED(GPTLSTOP(NAMES(1)), -1, 34)
      CALL NEED(GPTLNUM_ERRORS(), 2, 35)
*     A STATEMENT OF MORE THAN ONE LINE
      CALL NEED(GPTLSTARTSTOP_VALS('GIVEN', 3.0D0, 2), 0, 40)
      CALL NEED(GPTLQUERY('GIVEN', 0, N, IOPEN, WALL, USR, SYS,
     &          ICOUNT, 0), 0, 41)
      CALL NEED(N, 2, 42)
      CALL NEED(IOPEN, 0, 43)
      IF (ABS(WALL - 3.0D0) .GT. 1.0D-6) CALL NEED(1, 0, 44)
      CALL NEED(GPTLPR_FILE('report  '), 0, 50)
      CALL NEED(GPTLFINALIZE(), 0, 51)
      END

C     IRET HAS TO BE IWANT, WHERE NUMBER TELLS THE PLACE.
      SUBROUTINE NEED(IRET, IWANT, NUMBER)
      IF (IRET .EQ. IWANT) RETURN
      WRITE (*, *) 'PLACE ', NUMBER, ': ', IRET, ', EXPECTED ', IWANT
      STOP 1
      END
EOF

flags=
case $($FC --version 2>/dev/null) in *GNU*) flags="-Wall -Werror" ;; esac
# shellcheck disable=SC2086 # a list of words
compile_fortran fixed fixed.f $flags
ends 0 ./fixed 2>said || { cat said; exit 1; }
same "calls of EXACTLY8" "$(calls report EXACTLY8)" 3
same "calls of HANDLE" "$(calls report HANDLE)" 3
! grep -q selfOH report || fail "an option had no effect"

# With default integers of 8 bytes, results still are C ints.
cat >long.f <<'EOF'
      PROGRAM LONG
      IMPLICIT NONE
      INCLUDE 'gptl.inc'
      INTEGER IRET, IHAND, ICOUNT
      IHAND = 0
      ICOUNT = 0
      IF (GPTLSETOPTION(GPTLPERCENT, 1) .NE. 0) STOP 1
      IRET = GPTLSETOPTION(12345, 1)
      IF (IRET .NE. -1) STOP 2
      IF (GPTLSTART_HANDLE('HANDLE', IHAND) .NE. 0) STOP 3
      IF (GPTLSTOP_HANDLE('HANDLE', IHAND) .NE. 0) STOP 4
      IF (GPTLGET_COUNT('HANDLE', -1, ICOUNT) .NE. 0) STOP 5
      IF (ICOUNT .NE. 1) STOP 6
      IF (GPTLSTOP('NOT OPEN') .GE. 0) STOP 7
      END
EOF
case $flags in
    *-Werror*)
        compile_fortran long long.f -fdefault-integer-8
        ends 0 ./long 2>said || { cat said; exit 1; }
        ;;
esac
