! SPDX-License-Identifier: MIT
!
! Horizontal diffusion (../hdiff.ilx, compiled ahead of time) called from
! Fortran: whole arrays, sections, and the same as loops, bit for bit.
program main
  use, intrinsic :: iso_c_binding
  use hdiff_module, only: hdiff
  implicit none
  integer, parameter :: ni = 20, nj = 15, nk = 16
  real(c_double) :: u(-1:ni+2, -1:nj+2, nk), coeff(nk)
  real(c_double) :: v(ni, nj, nk), want(ni, nj, nk), room(2*ni, nj, nk)
  integer :: i, j, k, status

  do k = 1, nk
    coeff(k) = 0.01d0*k
    do j = -1, nj + 2
      do i = -1, ni + 2
        u(i, j, k) = sin(0.3d0*i)*cos(0.2d0*j) + 0.01d0*mod(i*j*k, 7)
      end do
    end do
  end do
  call by_loops()

  call hdiff(u, coeff, v)
  if (any(v /= want)) error stop "hdiff is not what the loops give"

  room = 0
  call hdiff(u, coeff(nk:1:-1), room(1::2, nj:1:-1, :), status=status)
  if (status /= 0) error stop "sections are refused"
  if (any(room(2::2, :, :) /= 0)) error stop "what lies between was written"
  coeff = coeff(nk:1:-1)
  call by_loops()
  if (any(room(1::2, nj:1:-1, :) /= want)) error stop "sections differ"

  call hdiff(u(:, :, 1:7), coeff(1:7), v(:, :, 1:7), status=status)
  if (status == 0) error stop "7 levels are no multiple of 8"
  call hdiff(u, coeff(1:8), v, status=status)
  if (status == 0) error stop "lengths that differ are not noticed"
  print '(a, f0.6)', "hdiff from Fortran: mean ", sum(want)/size(want)

contains

  ! Every operation in the order of the program, rounded by itself.
  subroutine by_loops()
    real(c_double) :: flux(4)
    integer :: i, j, k
    do k = 1, nk
      do j = 1, nj
        do i = 1, ni
          flux(1) = limited(i, j, k, 1, 0)
          flux(2) = limited(i - 1, j, k, 1, 0)
          flux(3) = limited(i, j, k, 0, 1)
          flux(4) = limited(i, j - 1, k, 0, 1)
          want(i, j, k) = minus(u(i, j, k), &
            times(coeff(k), minus(plus(minus(flux(1), flux(2)), flux(3)), flux(4))))
        end do
      end do
    end do
  end subroutine by_loops

  real(c_double) function limited(i, j, k, di, dj)
    integer, intent(in) :: i, j, k, di, dj
    limited = minus(laplacian(i + di, j + dj, k), laplacian(i, j, k))
    if (times(limited, minus(u(i + di, j + dj, k), u(i, j, k))) > 0) limited = 0
  end function limited

  real(c_double) function laplacian(i, j, k)
    integer, intent(in) :: i, j, k
    laplacian = minus(times(4.0_c_double, u(i, j, k)), &
      plus(plus(plus(u(i+1, j, k), u(i-1, j, k)), u(i, j+1, k)), u(i, j-1, k)))
  end function laplacian

  ! Compilers fuse no operations of different functions' volatile results.
  real(c_double) function plus(a, b)
    real(c_double), intent(in) :: a, b
    real(c_double), volatile :: r
    r = a + b
    plus = r
  end function plus

  real(c_double) function minus(a, b)
    real(c_double), intent(in) :: a, b
    real(c_double), volatile :: r
    r = a - b
    minus = r
  end function minus

  real(c_double) function times(a, b)
    real(c_double), intent(in) :: a, b
    real(c_double), volatile :: r
    r = a*b
    times = r
  end function times
end program main
