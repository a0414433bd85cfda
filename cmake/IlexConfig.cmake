# SPDX-License-Identifier: MIT
#
# find_package(Ilex 0.1) gives
#
#   ILEXC          the command ilexc, of the machine that builds
#   Ilex::ilex     the library, for programs that include <ilex.h>
#
#   ilex_add_library(target SOURCES a.ilx b.ilx ... [PREFIX p]
#                    [LANGUAGE c|cuda] [TARGETS ...] [OPTIONS ...])
#
# is a library of programs compiled ahead of time, without Ilex in it: a.c with
# the function a(), or p_a.c with p_a(), and so on, and what several of them
# share. Whoever links the target finds the headers. OPTIONS go to
# `ilexc compile`. In C the project's compiler builds the files as it builds all
# others; with TARGETS (generic avx2) or LANGUAGE cuda (TARGETS sm_80 sm_90)
# ilexc has it, or nvcc, build objects.
get_filename_component(_ilex_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_program(ILEXC ilexc
    HINTS "${_ilex_libdir}/../bin" "${_ilex_libdir}/../../bin"
    NO_CMAKE_FIND_ROOT_PATH
    DOC "the command that compiles programs of Ilex")
if(NOT ILEXC)
    set(Ilex_FOUND FALSE)
    set(Ilex_NOT_FOUND_MESSAGE "the command ilexc was not found; set ILEXC")
    return()
endif()
execute_process(COMMAND "${ILEXC}" --version RESULT_VARIABLE _ilex_status
    OUTPUT_QUIET ERROR_QUIET)
if(_ilex_status)
    set(Ilex_FOUND FALSE)
    set(Ilex_NOT_FOUND_MESSAGE "${ILEXC} does not run on this machine; set \
ILEXC to an ilexc that does")
    return()
endif()

# The library beside this file; of a cross build in its root alone.
find_library(Ilex_LIBRARY ilex PATHS "${_ilex_libdir}" NO_DEFAULT_PATH)
find_path(Ilex_INCLUDE_DIR ilex.h NO_DEFAULT_PATH
    PATHS "${_ilex_libdir}/../include" "${_ilex_libdir}/../../include")
mark_as_advanced(Ilex_LIBRARY Ilex_INCLUDE_DIR)
if(Ilex_LIBRARY AND Ilex_INCLUDE_DIR AND NOT TARGET Ilex::ilex)
    add_library(Ilex::ilex UNKNOWN IMPORTED)
    set_target_properties(Ilex::ilex PROPERTIES
        IMPORTED_LOCATION "${Ilex_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${Ilex_INCLUDE_DIR}")
    if(Ilex_LIBRARY MATCHES "[.]a$") # what it needs, pkg-config's file says
        file(STRINGS "${_ilex_libdir}/pkgconfig/ilex.pc" _ilex_private
            REGEX "^Libs[.]private:")
        string(REPLACE "Libs.private:" "" _ilex_private "${_ilex_private}")
        separate_arguments(_ilex_private UNIX_COMMAND "${_ilex_private}")
        set_target_properties(Ilex::ilex PROPERTIES
            INTERFACE_LINK_LIBRARIES "${_ilex_private}")
    endif()
endif()

# The options of ilexc in `out` that say which compiler builds objects: the
# project's, which may stand behind a wrapper such as ccache.
function(_ilex_compiler out language)
    if(language STREQUAL "cuda")
        if(CMAKE_CUDA_COMPILER)
            set(${out} "--cc=${CMAKE_CUDA_COMPILER}" PARENT_SCOPE)
        else()
            set(${out} "" PARENT_SCOPE)
        endif()
        return()
    endif()
    set(compiler "${CMAKE_C_COMPILER}")
    separate_arguments(flags UNIX_COMMAND
        "${CMAKE_C_COMPILER_ARG1} ${CMAKE_C_FLAGS}")
    if(CMAKE_C_COMPILER_ARG1)
        list(GET flags 0 compiler)
        list(REMOVE_AT flags 0)
    endif()
    if(CMAKE_C_COMPILER_TARGET AND CMAKE_C_COMPILE_OPTIONS_TARGET)
        list(APPEND flags
            "${CMAKE_C_COMPILE_OPTIONS_TARGET}${CMAKE_C_COMPILER_TARGET}")
    endif()
    if(CMAKE_SYSROOT)
        list(APPEND flags "--sysroot=${CMAKE_SYSROOT}")
    endif()
    string(REPLACE ";" " " flags "${flags}")
    set(${out} "--cc=${compiler}" "--cflags=${flags}" PARENT_SCOPE)
endfunction()

# What programs that link objects of CUDA need.
function(_ilex_link_cuda target)
    if(NOT CMAKE_VERSION VERSION_LESS 3.17)
        find_package(CUDAToolkit QUIET)
    endif()
    if(TARGET CUDA::cudart_static)
        target_link_libraries(${target} PUBLIC CUDA::cudart_static stdc++)
    else()
        message(STATUS "${target}: CUDA's runtime was not found; link it")
    endif()
endfunction()

# One call of ilexc for the programs `sources`, and what it makes, in `folder`:
# the files of each with the endings `ends`, and `shared` by all. Those that are
# as they were stay so, and what was built of them.
function(_ilex_call folder sources names ends shared options)
    set(files "${shared}")
    foreach(name IN LISTS names)
        foreach(end IN LISTS ends)
            list(APPEND files "${name}.${end}")
        endforeach()
    endforeach()
    set(written "")
    set(kept "")
    foreach(file IN LISTS files)
        list(APPEND written "${folder}/new/${file}")
        list(APPEND kept "${folder}/${file}")
    endforeach()
    set(needed ${sources})
    if(IS_ABSOLUTE "${ILEXC}")
        list(APPEND needed "${ILEXC}")
    endif()
    list(GET names 0 first)
    set(stamp "${folder}/${first}.stamp")
    add_custom_command(OUTPUT "${stamp}" BYPRODUCTS ${kept}
        COMMAND "${ILEXC}" compile ${sources} --stem -o "${folder}/new"
            ${options}
        COMMAND "${CMAKE_COMMAND}" -E copy_if_different ${written} "${folder}"
        COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
        DEPENDS ${needed} VERBATIM)
    set(_ilex_made ${_ilex_made} ${kept} PARENT_SCOPE)
    set(_ilex_stamps ${_ilex_stamps} "${stamp}" PARENT_SCOPE)
endfunction()

function(ilex_add_library target)
    cmake_parse_arguments(arg "" "PREFIX;LANGUAGE" "SOURCES;OPTIONS;TARGETS"
        ${ARGN})
    if(NOT arg_LANGUAGE)
        set(arg_LANGUAGE c)
    endif()
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES OR
            NOT arg_LANGUAGE MATCHES "^(c|cuda)$" OR ";${arg_OPTIONS};" MATCHES
            ";--(language|target|prefix|object|static|shared)[=;]")
        message(FATAL_ERROR "ilex_add_library(target SOURCES a.ilx ... "
            "[PREFIX p] [LANGUAGE c|cuda] [TARGETS ...] [OPTIONS ...])")
    endif()
    set(sources "")
    set(names "")
    foreach(source IN LISTS arg_SOURCES)
        get_filename_component(path "${source}" ABSOLUTE)
        get_filename_component(name "${source}" NAME_WE)
        if(arg_PREFIX)
            set(name "${arg_PREFIX}_${name}")
        endif()
        list(APPEND sources "${path}")
        list(APPEND names "${name}")
    endforeach()
    set(options ${arg_OPTIONS} --language ${arg_LANGUAGE})
    list(GET names 0 library)
    if(arg_PREFIX)
        set(library "${arg_PREFIX}")
        list(APPEND options --prefix "${arg_PREFIX}")
    endif()
    set(ends h json)
    if(";${arg_OPTIONS};" MATCHES ";--fortran;")
        list(APPEND ends f90)
    endif()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.ilex")
    set(_ilex_made "")
    set(_ilex_stamps "")
    list(LENGTH sources count)
    if(arg_TARGETS OR arg_LANGUAGE STREQUAL "cuda")
        _ilex_compiler(compiler ${arg_LANGUAGE})
        list(APPEND options --object ${compiler})
        if(arg_TARGETS)
            string(REPLACE ";" "," targets "${arg_TARGETS}")
            list(APPEND options --target "${targets}")
        endif()
        if(arg_PREFIX OR count EQUAL 1)
            _ilex_call("${folder}" "${sources}" "${names}" "${ends}"
                "${library}.o" "${options}")
        else() # an object of several has the name of a prefix
            foreach(source IN LISTS sources)
                get_filename_component(name "${source}" NAME_WE)
                _ilex_call("${folder}" "${source}" "${name}" "${ends};o" ""
                    "${options}")
            endforeach()
        endif()
    else()
        set(shared "")
        if(count GREATER 1)
            set(shared "${library}_support.h" "${library}_support.c")
        endif()
        _ilex_call("${folder}" "${sources}" "${names}" "${ends};c" "${shared}"
            "${options}")
    endif()
    list(FILTER _ilex_made INCLUDE REGEX "[.][cho]$")
    set_source_files_properties(${_ilex_made} PROPERTIES GENERATED TRUE)
    # before the library, whose rules look at the files' times
    add_custom_target(${target}_ilex DEPENDS ${_ilex_stamps})
    add_library(${target} STATIC ${_ilex_made})
    add_dependencies(${target} ${target}_ilex)
    set_target_properties(${target} PROPERTIES
        LINKER_LANGUAGE C POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PUBLIC "${folder}")
    if(UNIX)
        target_link_libraries(${target} PUBLIC m)
    endif()
    if(arg_LANGUAGE STREQUAL "cuda")
        _ilex_link_cuda(${target})
    endif()
endfunction()
