! SPDX-License-Identifier: MIT
!
! A program whose outputs have lengths that it counts, called from Fortran: room
! for the most, what was counted, what lies behind. fortran.sh builds it.
program counts
  use, intrinsic :: iso_c_binding
  use peaks_module, only: peaks
  implicit none
  integer, parameter :: n = 4, m = 5
  real(c_double) :: h(n, m), height(n*m), wide(2*n, m)
  integer(c_int64_t) :: row(n*m), column(n*m), sections(3*n*m), counted
  integer :: status

  h = 0
  h(1, :) = [1, 2, 1, 0, 3] ! two peaks above 2.5: (0, 4) and (1, 2)
  h(2, :) = [0, 1, 5, 1, 0]
  h(4, 1) = 2
  h(4, 5) = 1
  call clear()
  call peaks(h, 2.5_c_double, row, column, height, c=counted)
  if (counted /= 2) error stop "not two peaks"
  if (any(row(1:2) /= [0, 1]) .or. any(column(1:2) /= [4, 2])) error stop "elsewhere"
  if (any(height(1:2) /= [3, 5])) error stop "of other heights"
  if (any(row(3:) /= -7) .or. any(height(3:) /= -7)) error stop "something lies behind"

  call clear()
  call peaks(h, 100.0_c_double, row, column, height, c=counted, status=status)
  if (status /= 0 .or. counted /= 0 .or. any(row /= -7)) error stop "a peak too many"

  call clear() ! nobody asks how many; sections
  wide = 9
  wide(1::2, :) = h
  sections = -7
  call peaks(wide(1::2, :), 2.5_c_double, sections(1::3), column, height)
  if (sections(1) /= 0 .or. sections(4) /= 1) error stop "sections differ"
  if (count(sections /= -7) /= 2) error stop "what lies between was written"

  call clear()
  call peaks(h, 2.5_c_double, row(2:), column, height, c=counted, status=status)
  if (status == 0 .or. counted /= -7 .or. any(row /= -7)) &
    error stop "too little room is taken"
  print '(a)', "lengths that are counted: as they should be"

contains

  subroutine clear()
    row = -7
    column = -7
    height = -7
    counted = -7
  end subroutine clear
end program counts
