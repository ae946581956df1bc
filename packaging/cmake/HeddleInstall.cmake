# What `cmake --install` puts where, by GNUInstallDirs. Components: daemon, sim, vnic, and compat (the names of OpenSM).

# The unit directory is not below the prefix of a package: -DHEDDLE_UNIT_DIR and -DHEDDLE_UDEV_DIR change both.
set(HEDDLE_UNIT_DIR "${CMAKE_INSTALL_PREFIX}/lib/systemd/system" CACHE PATH "Where systemd units are installed")
set(HEDDLE_UDEV_DIR "${CMAKE_INSTALL_PREFIX}/lib/udev/rules.d" CACHE PATH "Where udev rules are installed")
set(HEDDLE_LIBEXEC ${CMAKE_INSTALL_FULL_LIBEXECDIR}/heddle)
set(HEDDLE_LAUNCH ${HEDDLE_LIBEXEC}/launch)
set(HEDDLE_CONTROL ${CMAKE_INSTALL_FULL_BINDIR}/heddlectl)

# heddle_unit(INPUT OUTPUT COMPONENT): a unit with the paths of this installation.
function(heddle_unit input output component)
  configure_file(${CMAKE_SOURCE_DIR}/packaging/systemd/${input} ${CMAKE_BINARY_DIR}/packaging/${output} @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/packaging/${output} DESTINATION ${HEDDLE_UNIT_DIR} COMPONENT ${component})
endfunction()

install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR} COMPONENT daemon)
install(TARGETS heddlectl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT daemon)
install(PROGRAMS packaging/systemd/launch DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/heddle COMPONENT daemon)
# For those who watch it: rules for Prometheus, and a dashboard for Grafana.
install(FILES packaging/prometheus/heddle.rules.yml packaging/grafana/heddle.json DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle COMPONENT daemon)
install(FILES packaging/systemd/60-heddle.rules DESTINATION ${HEDDLE_UDEV_DIR} COMPONENT daemon)

set(HEDDLE_LEADER heddle)
set(HEDDLE_INSTANCE heddle)
set(HEDDLE_PROGRAM ${CMAKE_INSTALL_FULL_SBINDIR}/heddle)
set(HEDDLE_CONFLICTS "Conflicts=opensm.service opensmd.service")
set(HEDDLE_LOG_FORMAT "# opensm.conf and the files below come first.\nEnvironment=HEDDLE_LOG_FORMAT=human")
heddle_unit(heddle@.service.in heddle@.service daemon)
heddle_unit(heddle.service.in heddle.service daemon)
heddle_unit(heddle-hotplug.service.in heddle-hotplug.service daemon)

# The same under OpenSM's names: who starts opensm gets Heddle, and OpenSM's lines in the log, which scripts read.
set(HEDDLE_LEADER opensm)
set(HEDDLE_INSTANCE opensm)
set(HEDDLE_PROGRAM ${CMAKE_INSTALL_FULL_SBINDIR}/opensm)
set(HEDDLE_CONFLICTS "Conflicts=heddle.service")
set(HEDDLE_LOG_FORMAT "# The log has the lines of OpenSM.")
set(HEDDLE_ALIAS "Alias=opensmd.service")
heddle_unit(heddle@.service.in opensm@.service compat)
heddle_unit(heddle.service.in opensm.service compat)
install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}${CMAKE_INSTALL_FULL_SBINDIR}\")
  file(CREATE_LINK heddle \"\$ENV{DESTDIR}${CMAKE_INSTALL_FULL_SBINDIR}/opensm\" SYMBOLIC)" COMPONENT compat)

install(PROGRAMS packaging/systemd/opensmd DESTINATION ${CMAKE_INSTALL_FULL_SYSCONFDIR}/init.d COMPONENT compat)

install(TARGETS heddle-umad LIBRARY DESTINATION lib/heddle COMPONENT sim)  # where heddle-sim-run expects it
install(TARGETS heddle-sim heddle-sim-run heddle-topo RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT sim)

set(HEDDLE_VNIC ${CMAKE_INSTALL_FULL_SBINDIR}/heddle-vnic)
install(TARGETS heddle-vnic RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR} COMPONENT vnic)
heddle_unit(heddle-vnic.service.in heddle-vnic.service vnic)
