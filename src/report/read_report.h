// A report that --format json wrote, read back.
#pragma once

#include <string>

#include "report/report.h"

namespace foretrace {

Result<Report> read_report(const std::string& path);

}  // namespace foretrace
