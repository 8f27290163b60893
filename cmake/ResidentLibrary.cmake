# A shared library that lives in someone else's process. It exports the names
# in `EXPORTS` and nothing else, brings its own C++ runtime, and stays mapped.
function(rafter_add_resident_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPORTS" "SOURCES;LINK")
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} rafter_warnings ${CMAKE_DL_LIBS})
  target_compile_options(${name} PRIVATE -ftls-model=initial-exec -ffunction-sections
                         -fdata-sections)
  set_target_properties(${name} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${arg_EXPORTS})
  target_link_options(${name} PRIVATE
    -Wl,--version-script=${arg_EXPORTS}
    # -u: weak in libstdc++'s objects, so that it would otherwise bind to the host's copy.
    -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,-u,__cxa_pure_virtual
    -Wl,-z,defs,-z,now,-z,nodelete,--gc-sections -Wl,--as-needed)
  if(RAFTER_TESTS)
    add_test(NAME contract.exports.${name}
             COMMAND ${PROJECT_SOURCE_DIR}/scripts/check_exports
                     $<TARGET_FILE:${name}> ${arg_EXPORTS})
    set_tests_properties(contract.exports.${name} PROPERTIES LABELS contract)
  endif()
endfunction()
