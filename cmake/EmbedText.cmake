# cmake -DFILE=... -DHEADER=... -DNAMESPACE=... -DNAME=... -DOUTPUT=x.cc -P EmbedText.cmake: one file as a std::string_view.
file(READ "${FILE}" text)
file(WRITE "${OUTPUT}" "// Made of ${FILE} by cmake/EmbedText.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

const std::string_view ${NAME} = R\"embedded(${text})embedded\";

}  // namespace ${NAMESPACE}
")
