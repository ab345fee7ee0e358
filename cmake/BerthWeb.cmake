# The files of web/ become texts in the program. Called before the directory that makes the module of that name ends.
file(GLOB web_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*.*)
set(web_assets ${CMAKE_BINARY_DIR}/web_assets.cc)
add_custom_command(OUTPUT ${web_assets}
  COMMAND ${CMAKE_COMMAND} "-DFILES=${web_files}" -DOUTPUT=${web_assets} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
  DEPENDS ${web_files} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake VERBATIM)
target_sources(berth_web PRIVATE ${web_assets})
