-- Whether a directory is needed, and which jobs to tell that it is gone, is asked of each directory in turn.
CREATE INDEX "jobs_with_archive" ON "jobs" ("archive_id") WHERE "archive_id" IS NOT NULL;
