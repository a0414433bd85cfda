! SPDX-License-Identifier: MIT
!
! Code for sizes that are known, of arrays in Fortran's order: whole arrays take
! it, sections do not, results are those of the program without. fortran.sh has
! each kernel of a variant count in ilex_taken.
module counters
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), bind(c, name="ilex_taken") :: taken(0:3) = 0
end module counters

program variants
  use, intrinsic :: iso_c_binding
  use counters, only: taken
  use any_hdiff_module, only: any_hdiff
  use hdiff_module, only: hdiff
  implicit none
  integer, parameter :: ni = 12, nj = 10, nk = 8
  real(c_double) :: u(ni + 4, nj + 4, nk), coeff(nk), v(ni, nj, nk)
  real(c_double) :: want(ni, nj, nk), room(2*ni, nj, nk)
  integer :: i, j, k

  do k = 1, nk
    coeff(k) = 0.01_c_double*k
    do j = 1, nj + 4
      do i = 1, ni + 4
        u(i, j, k) = mod(i*37 + j*11 + k*5, 101)/7.0_c_double
      end do
    end do
  end do

  call any_hdiff(u, coeff, want)
  call expect(0, 0)
  call hdiff(u, coeff, v)
  if (any(v /= want)) error stop "a variant has other results"
  call expect(1, 0)
  room = 0
  call hdiff(u, coeff, room(1::2, :, :)) ! u alone is dense
  if (any(room(1::2, :, :) /= want)) error stop "sections differ"
  call expect(0, 0)
  call hdiff(u(:, 1:11, :), coeff, v(:, 1:7, :)) ! strides along k are open
  if (any(v(:, 1:7, :) /= want(:, 1:7, :))) error stop "parts differ"
  call expect(0, 1)
  call seven()
  print '(a)', "variants in Fortran: as they should be"

contains

  ! The second group leaves nj open.
  subroutine seven()
    real(c_double) :: small(ni + 4, 11, nk), to(ni, 7, nk)
    small = u(:, 1:11, :)
    call hdiff(small, coeff, to)
    if (any(to /= want(:, 1:7, :))) error stop "another size differs"
    call expect(0, 1)
  end subroutine seven

  ! Kernels of the first group were called, of the second.
  subroutine expect(first, second)
    integer, intent(in) :: first, second
    if (any((taken(1:2) > 0) .neqv. ([first, second] > 0))) &
      error stop "another variant is taken"
    taken = 0
  end subroutine expect
end program variants
