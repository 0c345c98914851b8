-- Finds the due uploads without a scan of all jobs.
CREATE INDEX job_uploads_due ON job_uploads (next_try_at) WHERE settled_at IS NULL;
