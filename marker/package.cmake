# What authors of benchmarks install: rafter/marker.h, a CMake package and a
# pkg-config file. Needs no CUDA toolkit, and holds no path of this machine.
include(CMakePackageConfigHelpers)

set(RAFTER_INSTALL_PACKAGE_DIR ${CMAKE_INSTALL_DATADIR}/cmake/Rafter)
set(RAFTER_INSTALL_PKGCONFIG_DIR ${CMAKE_INSTALL_DATADIR}/pkgconfig)
file(RELATIVE_PATH RAFTER_PC_TO_PREFIX
     ${CMAKE_INSTALL_PREFIX}/${RAFTER_INSTALL_PKGCONFIG_DIR} ${CMAKE_INSTALL_PREFIX})
# Without the last slash, which pkg-config would keep in the middle of paths.
string(REGEX REPLACE "/$" "" RAFTER_PC_TO_PREFIX "${RAFTER_PC_TO_PREFIX}")

configure_package_config_file(RafterConfig.cmake.in RafterConfig.cmake
  INSTALL_DESTINATION ${RAFTER_INSTALL_PACKAGE_DIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Below 1.0 a minor version may change what is promised.
write_basic_package_version_file(RafterConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
configure_file(rafter-marker.pc.in rafter-marker.pc @ONLY)

install(FILES include/rafter/marker.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rafter
        COMPONENT marker)
install(FILES RafterMarker.cmake ${CMAKE_CURRENT_BINARY_DIR}/RafterConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/RafterConfigVersion.cmake
        DESTINATION ${RAFTER_INSTALL_PACKAGE_DIR} COMPONENT marker)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rafter-marker.pc
        DESTINATION ${RAFTER_INSTALL_PKGCONFIG_DIR} COMPONENT marker)
