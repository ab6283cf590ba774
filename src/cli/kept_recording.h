// Recordings that `run` and `record` keep as files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "recording/recording_file.h"

namespace foretrace {

// Its events in the format that the path or `format_name` says (TraceOutput).
Result<void> write_events(const std::shared_ptr<const RecordingFile>& file, const std::string& path,
                          const std::string& format_name, std::string_view verb);

// The recording as it is if the path says .ftr, else its events.
Result<void> keep_recording(const std::shared_ptr<const RecordingFile>& file,
                            const std::string& path);

}  // namespace foretrace
