// SPDX-License-Identifier: Apache-2.0
#include "framework/args/args_writer.h"

namespace berth::framework {

void ArgsWriter::Key(std::string_view name) {
  std::string key(name);
  if (form_ == JsonForm::kInternal) key[0] = static_cast<char>(key[0] - 'a' + 'A');
  json_.Key(key);
}

bool ArgsWriter::Begin(std::string_view name, bool present) {
  if (!present && form_ == JsonForm::kApi) return false;
  Key(name);
  if (!present) json_.Null();
  return present;
}

}  // namespace berth::framework
