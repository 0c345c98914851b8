-- Lists are empty, never null.
ALTER TABLE next_in_line ALTER COLUMN job_ids SET NOT NULL;
ALTER TABLE policies ALTER COLUMN set_by_environment SET NOT NULL;

-- Written with every pass and worth nothing after a crash: not in the write-ahead log, so nobody waits for the disk.
ALTER TABLE next_in_line SET UNLOGGED;

ALTER TABLE next_in_line ADD CONSTRAINT next_in_line_one_row CHECK (id = 1);

-- There is one policy, always.
ALTER TABLE policies ADD CONSTRAINT policies_one_row CHECK (id = 1);

ALTER TABLE policies ADD CONSTRAINT policies_ranges_check CHECK (
  max_concurrent_jobs >= 0 AND max_queue_size >= 0 AND ageing_minutes > 0 AND half_life_hours > 0
  AND memory_threshold BETWEEN 0 AND 1 AND load_threshold BETWEEN 0 AND 1 AND quarantine_after >= 1
  AND default_requirement_milli BETWEEN 1 AND 8000
);
