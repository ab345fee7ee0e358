# cmake -DFILES=... -DOUTPUT=x.cc -P EmbedFiles.cmake: writes the table of web/assets.h.
set(types html "text/html; charset=utf-8" css "text/css; charset=utf-8" js "text/javascript; charset=utf-8" svg "image/svg+xml")
set(rows "")
foreach(path IN LISTS FILES)
  get_filename_component(name "${path}" NAME)
  get_filename_component(extension "${path}" LAST_EXT)
  string(SUBSTRING "${extension}" 1 -1 extension)
  list(FIND types "${extension}" at)
  if(at LESS 0)
    message(FATAL_ERROR "${path}: no type is known for .${extension}")
  endif()
  math(EXPR at "${at} + 1")
  list(GET types ${at} type)
  file(SHA256 "${path}" hash)
  string(SUBSTRING "${hash}" 0 32 hash)
  file(READ "${path}" text)
  string(APPEND rows "    {\"${name}\", \"${type}\", \"\\\"${hash}\\\"\", R\"berth-web(${text})berth-web\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made of web/ by cmake/EmbedFiles.cmake.
#include \"web/assets.h\"

namespace berth::web {

std::span<const Asset> Assets() {
  static constexpr Asset kAssets[] = {
${rows}  };
  return kAssets;
}

}  // namespace berth::web
")
