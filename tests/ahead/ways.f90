! SPDX-License-Identifier: MIT
!
! ways.c in Fortran: the same numbers in the same order of indices.
program ways
  use, intrinsic :: iso_c_binding
  use ways_hdiff_module, only: ways_hdiff
  use ways_matmul_module, only: ways_matmul
  use ways_norms_module, only: ways_norms
  use ways_peaks_module, only: ways_peaks
  implicit none
  integer, parameter :: ni = 12, nj = 10, nk = 8, n = 23, m = 37, kk = 50
  real(c_double) :: u(ni + 4, nj + 4, nk), coeff(nk), v(ni, nj, nk)
  real(c_double) :: a(n, m), largest(n), square, h(n, m), height(n*m)
  integer(c_int64_t) :: row(n*m), column(n*m), counted, state, total
  real(c_float) :: p(n, kk), q(kk, m), c(n, m)
  integer :: i, j, k

  state = 1
  total = 1
  do i = 1, ni + 4
    do j = 1, nj + 4
      do k = 1, nk
        u(i, j, k) = next()
      end do
    end do
  end do
  do k = 1, nk
    coeff(k) = next()
  end do
  call fill(a)
  call fill(h)
  do i = 1, n
    do j = 1, kk
      p(i, j) = real(next(), c_float)
    end do
  end do
  do i = 1, kk
    do j = 1, m
      q(i, j) = real(next(), c_float)
    end do
  end do

  call ways_hdiff(u, coeff, v)
  call ways_norms(a, largest, square)
  call ways_peaks(h, 3.0_c_double, row, column, height, c=counted)
  call ways_matmul(p, q, c)
  do i = 1, ni
    do j = 1, nj
      do k = 1, nk
        call take(transfer(v(i, j, k), total))
      end do
    end do
  end do
  do i = 1, n
    call take(transfer(largest(i), total))
  end do
  call take(transfer(square, total))
  call take(counted)
  do i = 1, int(counted)
    call take(row(i))
    call take(column(i))
    call take(transfer(height(i), total))
  end do
  do i = 1, n
    do j = 1, m
      call take(transfer(real(c(i, j), c_double), total))
    end do
  end do
  print '(i10.10)', total

contains

  real(c_double) function next()
    state = mod(state*16807, 2147483647_c_int64_t)
    next = real(mod(state, 2001_c_int64_t) - 1000, c_double)/64
  end function next

  subroutine fill(x)
    real(c_double), intent(out) :: x(:, :)
    integer :: i, j
    do i = 1, size(x, 1)
      do j = 1, size(x, 2)
        x(i, j) = next()
      end do
    end do
  end subroutine fill

  subroutine take(bits)
    integer(c_int64_t), intent(in) :: bits
    integer :: i
    do i = 0, 3
      total = mod(total*65536 + ibits(bits, 16*i, 16), 2147483647_c_int64_t)
    end do
  end subroutine take
end program ways
