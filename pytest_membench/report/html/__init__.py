"""report.html: one file that opens offline, with the session's tables, figures and every probe."""
