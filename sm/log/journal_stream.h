#pragma once

#include "sm/log/log_line.h"

namespace sm {

/// Whether one of the standard streams of this process is connected to the journal: it was started
/// by a service manager that collects its output. `stream`: $JOURNAL_STREAM (systemd.exec(5)), may
/// be null.
bool is_journal_stream(int descriptor, const char* stream);
bool runs_under_journal();

/// Waits while the journal is behind. Without a journal it does nothing.
void send_to_journal(const LogLine& line);

}  // namespace sm
