# static_archive(SHARED_LIBRARY SOURCE…): the archive of a runtime, for programs that are
# linked statically. Where the library stands in front of libc by being loaded first,
# here the linker redirects calls (--wrap, one line each in a file).
function(static_archive library)
  set(archive ${library}_static)
  add_library(${archive} STATIC ${ARGN})
  get_target_property(options ${library} COMPILE_OPTIONS)
  target_compile_options(${archive} PRIVATE ${options})
  target_compile_definitions(${archive} PRIVATE _GNU_SOURCE FORETRACE_STATIC)
  target_include_directories(${archive} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(${archive} PROPERTIES
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib OUTPUT_NAME ${library}
    POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS ON)
  add_custom_command(TARGET ${archive} POST_BUILD
    COMMAND ${PROJECT_SOURCE_DIR}/src/runtime/redirect-calls
      $<TARGET_FILE:${archive}> ${PROJECT_BINARY_DIR}/lib/lib${library}.wrap)
endfunction()
