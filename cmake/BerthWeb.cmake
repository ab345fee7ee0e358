# Files that become texts in the program. Called before the directory that makes the modules they belong to ends.

# web/: the dashboard.
file(GLOB web_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*.*)
set(web_assets ${CMAKE_BINARY_DIR}/web_assets.cc)
add_custom_command(OUTPUT ${web_assets}
  COMMAND ${CMAKE_COMMAND} "-DFILES=${web_files}" -DOUTPUT=${web_assets} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
  DEPENDS ${web_files} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake VERBATIM)
target_sources(berth_web PRIVATE ${web_assets})

# The OpenAPI document of /berth/v1/.
set(openapi_json ${CMAKE_SOURCE_DIR}/src/explain/openapi.json)
set(openapi_text ${CMAKE_BINARY_DIR}/berth_openapi.cc)
add_custom_command(OUTPUT ${openapi_text}
  COMMAND ${CMAKE_COMMAND} -DFILE=${openapi_json} -DHEADER=explain/openapi.h -DNAMESPACE=berth::explain -DNAME=kOpenApi
          -DOUTPUT=${openapi_text} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake
  DEPENDS ${openapi_json} ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake VERBATIM)
target_sources(berth_explain PRIVATE ${openapi_text})
