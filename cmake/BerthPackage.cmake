# What is installed, and the Debian package of it: `scripts/package`, or `cpack -G DEB` in the build directory once
# the target berth is built.
if(NOT TARGET berth)
  return()
endif()

set(deploy ${CMAKE_SOURCE_DIR}/deploy)
set(doc_dir share/doc/berth)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

# The program is a component of its own, and what is needed to build another one with plugins is `development`:
# `cmake --install build/release --component development --prefix DIR`.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};${PROJECT_NAME};program;/")
set(config_dir lib/cmake/Berth)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ ${CMAKE_SOURCE_DIR}/src/ DESTINATION ${BERTH_HEADERS} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
install(EXPORT BerthTargets NAMESPACE Berth:: DESTINATION ${config_dir} COMPONENT development)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/BerthConfig.cmake DESTINATION ${config_dir} COMPONENT development)

install(TARGETS berth RUNTIME DESTINATION bin)
# By this name kubectl finds it: `kubectl berth simulate ...`.
file(CREATE_LINK berth ${CMAKE_BINARY_DIR}/kubectl-berth SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/kubectl-berth DESTINATION bin)
install(FILES ${deploy}/berth-scheduler.service DESTINATION /lib/systemd/system)
install(FILES ${deploy}/berth-scheduler.default DESTINATION /etc/default RENAME berth-scheduler)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${deploy}/debian/copyright DESTINATION ${doc_dir})
foreach(page scheduler explain simulate input-log divergences)
  install(FILES ${CMAKE_SOURCE_DIR}/docs/${page}.md DESTINATION ${doc_dir})
endforeach()
install(FILES ${deploy}/scheduler-config.yaml DESTINATION ${doc_dir}/examples)
install(DIRECTORY ${deploy}/second-scheduler ${deploy}/replacement DESTINATION ${doc_dir}/examples)

# Debian wants these compressed, without a time in them.
function(berth_install_compressed file name destination)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  execute_process(COMMAND gzip -9nc ${file} OUTPUT_FILE ${CMAKE_BINARY_DIR}/${name}.gz COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.gz DESTINATION ${destination})
endfunction()
berth_install_compressed(${deploy}/debian/changelog changelog ${doc_dir})

# Manual pages and completions are made by the program itself, when it is installed.
set(generated ${CMAKE_BINARY_DIR}/generated)
install(CODE "execute_process(COMMAND \"${CMAKE_SOURCE_DIR}/cmake/generate-manual\" \"$<TARGET_FILE:berth>\" \"${generated}\"
  COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${generated}/man1 DESTINATION share/man)
install(FILES ${generated}/berth DESTINATION share/bash-completion/completions)
install(FILES ${generated}/_berth DESTINATION share/zsh/vendor-completions)
install(FILES ${generated}/berth.fish DESTINATION share/fish/vendor_completions.d)

# Packing builds nothing: what is not installed need not be there.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME berth)
set(CPACK_PACKAGE_VENDOR "The Berth authors")
set(CPACK_PACKAGE_CONTACT "The Berth authors <maintainers@berth.example.org>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Kubernetes scheduler that takes the place of kube-scheduler
Berth assigns pods to nodes. It makes the decisions of kube-scheduler, with the
same flags, configuration and messages, and is much faster. It also schedules
without a cluster: manifests in files, clusters over time, recordings.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${deploy}/debian/conffiles ${deploy}/debian/postinst ${deploy}/debian/prerm ${deploy}/debian/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
