# Foretrace for CMake projects:
#
#   find_package(foretrace REQUIRED)
#   foretrace_instrument(bank)          # a program or library of the project
#   add_test(NAME bank COMMAND ${FORETRACE} run --exit findings -- $<TARGET_FILE:bank>)
#
# Clang 22 compiles with the plugin; GCC and other Clangs with -fsanitize=thread,
# with Foretrace's runtime in the place of ThreadSanitizer's.

get_filename_component(_foretrace_here "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
find_program(FORETRACE foretrace
  HINTS "${_foretrace_here}" "${_foretrace_here}/../../../bin" NO_DEFAULT_PATH REQUIRED)
find_path(FORETRACE_LIBRARIES libforetrace_runtime.so
  HINTS "${_foretrace_here}/lib" "${_foretrace_here}/../../foretrace" NO_DEFAULT_PATH REQUIRED)

function(foretrace_instrument target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "foretrace_instrument: ${target} is no target of this project")
  endif()
  set(language CXX)
  if(NOT CMAKE_CXX_COMPILER_ID)
    set(language C)
  endif()
  set(id ${CMAKE_${language}_COMPILER_ID})
  set(version ${CMAKE_${language}_COMPILER_VERSION})
  set(runtime "${FORETRACE_LIBRARIES}/libforetrace_runtime.so")
  target_compile_definitions(${target} PRIVATE FORETRACE=1)
  target_compile_options(${target} PRIVATE -g)
  if(id STREQUAL "Clang" AND version MATCHES "^22\\.")
    target_compile_options(${target} PRIVATE
      "-fpass-plugin=${FORETRACE_LIBRARIES}/libforetrace_plugin.so")
  elseif(id STREQUAL "Clang")
    target_compile_options(${target} PRIVATE
      -fsanitize=thread "SHELL:-mllvm -tsan-instrument-read-before-write")
  elseif(id STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fsanitize=thread)
  else()
    message(FATAL_ERROR "foretrace_instrument: Foretrace knows Clang and GCC, not ${id}")
  endif()
  get_target_property(type ${target} TYPE)
  if(type MATCHES "EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY")
    # First, so that it stands in front of the C library.
    target_link_options(${target} PRIVATE
      "LINKER:--push-state,--no-as-needed" "${runtime}" "LINKER:--pop-state"
      "LINKER:-rpath,${FORETRACE_LIBRARIES}")
  endif()
endfunction()
