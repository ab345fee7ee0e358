// SPDX-License-Identifier: Apache-2.0
// The columns of a custom resource, by the additionalPrinterColumns of its definition.

#pragma once

#include <string>
#include <vector>

#include "server/model/json.h"
#include "server/tables/printer.h"

namespace berth::server {

class CustomPrinter {
 public:
  // `columns`: additionalPrinterColumns, which may be absent; then there is the age.
  explicit CustomPrinter(const Json& columns);
  CustomPrinter(const CustomPrinter&) = delete;
  CustomPrinter& operator=(const CustomPrinter&) = delete;

  const Printer& printer() const { return printer_; }

 private:
  Json columns_;                           // Whose texts the printer shows.
  std::vector<std::string> descriptions_;  // Likewise.
  Printer printer_;
};

}  // namespace berth::server
