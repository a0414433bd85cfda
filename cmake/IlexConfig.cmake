# SPDX-License-Identifier: MIT
#
# find_package(Ilex) gives
#
#   ILEXC                  the command ilexc
#   ilex_add_library(target SOURCES a.ilx b.ilx ... [PREFIX p] [OPTIONS ...])
#                          a library of programs compiled ahead of time, without
#                          Ilex in it: a.c with the function a(), or p_a.c with
#                          p_a(), and so on. Whoever links the target finds the
#                          headers. OPTIONS go to `ilexc compile`.
get_filename_component(_ilex_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(ILEXC ilexc HINTS "${_ilex_prefix}/bin"
    DOC "the command that compiles programs of Ilex")
if(NOT ILEXC)
    set(Ilex_FOUND FALSE)
    set(Ilex_NOT_FOUND_MESSAGE "the command ilexc was not found; set ILEXC")
    return()
endif()

function(ilex_add_library target)
    cmake_parse_arguments(arg "" "PREFIX" "SOURCES;OPTIONS;TARGETS" ${ARGN})
    if(arg_TARGETS)
        message(FATAL_ERROR "ilex_add_library: TARGETS are unsupported; "
            "`ilexc compile --static --target ...` builds such a library")
    endif()
    if(";${arg_OPTIONS};" MATCHES ";(--language=)?cuda;")
        message(FATAL_ERROR "ilex_add_library: CUDA is unsupported; "
            "`ilexc compile --language cuda` writes a.cu for add_custom_command")
    endif()
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
        message(FATAL_ERROR "ilex_add_library(target SOURCES a.ilx ... "
            "[PREFIX p] [OPTIONS ...])")
    endif()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.ilex")
    file(MAKE_DIRECTORY "${folder}")
    set(generated "")
    foreach(source IN LISTS arg_SOURCES)
        get_filename_component(path "${source}" ABSOLUTE)
        get_filename_component(name "${source}" NAME_WE)
        if(arg_PREFIX)
            set(name "${arg_PREFIX}_${name}")
        endif()
        add_custom_command(
            OUTPUT "${folder}/${name}.c" "${folder}/${name}.h"
                "${folder}/${name}.json"
            COMMAND "${ILEXC}" compile "${path}" -o "${folder}"
                --prefix "${name}" ${arg_OPTIONS}
            DEPENDS "${path}" VERBATIM)
        list(APPEND generated "${folder}/${name}.c" "${folder}/${name}.h")
    endforeach()
    add_library(${target} STATIC ${generated})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PUBLIC "${folder}")
    if(UNIX)
        target_link_libraries(${target} PUBLIC m)
    endif()
endfunction()
