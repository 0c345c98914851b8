-- PostgreSQL keeps no statistics for the expressions of partial indexes. Without them it expects that a third of all jobs meet a limit.
CREATE STATISTICS "jobs_amounts" ON
  (extract(epoch FROM "ended_at" - "started_at")::float8),
  (extract(epoch FROM "started_at" - "created_at")::float8),
  (requested_gpus("spec") * extract(epoch FROM "ended_at" - "started_at")::float8 / 3600)
  FROM "jobs";
ANALYZE "jobs";
