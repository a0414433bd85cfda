! SPDX-License-Identifier: MIT
!
! A program that calls a function which is written in Fortran, called from
! Fortran: what the function is given, what becomes of its results, and of its
! failures. fortran.sh builds it.
module filters
  use, intrinsic :: iso_c_binding
  use foreign_module, only: foreign_array, foreign_call
  implicit none
  integer :: calls = 0, wrong = 0, failing = 0

contains

  ! r(i) = u(i-1)*s + u(i+1), and how many; u has a halo of one point.
  function filter(call) result(rc) bind(c)
    type(foreign_call), intent(in) :: call
    integer(c_int) :: rc
    type(foreign_array), pointer :: a(:), r(:)
    integer(c_int64_t), pointer :: lower(:), length(:), given(:), stride(:)
    real(c_double), pointer :: from(:), s, to(:)
    integer(c_int32_t), pointer :: n
    calls = calls + 1
    call c_f_pointer(call%argument, a, [call%argument_count])
    call c_f_pointer(call%result, r, [call%result_count])
    call c_f_pointer(a(1)%lower, lower, [1])
    call c_f_pointer(a(1)%shape, given, [1])
    call c_f_pointer(a(1)%stride, stride, [1])
    call c_f_pointer(r(1)%shape, length, [1])
    if (size(a) /= 2 .or. size(r) /= 2 .or. a(1)%rank /= 1 .or. &
        a(2)%rank /= 0 .or. lower(1) /= -1 .or. given(1) /= length(1) + 2 .or. &
        stride(1) /= 1 .or. call%device /= -1 .or. &
        c_associated(call%stream)) wrong = wrong + 1
    call c_f_pointer(a(1)%data, from, given)
    call c_f_pointer(a(2)%data, s)
    call c_f_pointer(r(1)%data, to, length)
    call c_f_pointer(r(2)%data, n)
    to = from(1:length(1))*s + from(3:length(1) + 2)
    n = int(length(1), c_int32_t)
    rc = failing
  end function filter
end module filters

program main
  use, intrinsic :: iso_c_binding
  use filters, only: calls, wrong, failing
  use foreign_module, only: foreign
  implicit none
  integer, parameter :: n = 50
  real(c_double) :: u(-1:n+2), v(n), w(n), a(n), b(n)
  integer(c_int32_t) :: k
  integer :: i, status

  u = [(mod(i*i, 17)/3.0_c_double, i=0, n + 3)]
  call foreign(u, 0.7_c_double, v, w, k)
  a = u(0:n-1)*0.7_c_double + u(2:n+1)
  b = 2*u(0:n-1)*(0.7_c_double + 1) + 2*u(2:n+1)
  if (any(v /= a + b) .or. any(w /= a - b)) error stop "results are others"
  if (k /= n .or. wrong /= 0 .or. calls < 2) error stop "calls are others"
  failing = 7
  calls = 0
  call foreign(u, 0.7_c_double, v, w, k, status=status)
  if (status == 0 .or. calls /= 1) error stop "a failure is no error"
  print '(a)', "functions in Fortran: as they should be"
end program main
