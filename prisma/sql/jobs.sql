-- The list is empty, never null.
ALTER TABLE jobs ALTER COLUMN tags SET NOT NULL;

CREATE FUNCTION count_active_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO active_job_changes (status, reason, jobs)
    SELECT status, CASE WHEN status = 'pending' THEN reason END, count(*) FROM added
     WHERE status IN ('pending', 'scheduled', 'running') GROUP BY 1, 2;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO active_job_changes (status, reason, jobs)
    SELECT status, CASE WHEN status = 'pending' THEN reason END, -count(*) FROM removed
     WHERE status IN ('pending', 'scheduled', 'running') GROUP BY 1, 2;
  ELSE
    INSERT INTO active_job_changes (status, reason, jobs)
    SELECT status, CASE WHEN status = 'pending' THEN reason END AS reason, sum(n)
      FROM (SELECT status, reason, 1 AS n FROM added UNION ALL SELECT status, reason, -1 FROM removed) AS changed
     WHERE status IN ('pending', 'scheduled', 'running') GROUP BY 1, 2 HAVING sum(n) <> 0;
  END IF;
  RETURN NULL;
END $$;

-- Keeps since when no node has fitted a waiting job. The reasons that are listed say nothing about whether one fits.
CREATE FUNCTION keep_never_fits_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.never_fits_since := CASE
    WHEN NEW.status = 'pending' AND NEW.reason = 'never_fits' THEN coalesce(OLD.never_fits_since, now())
    WHEN NEW.status = 'pending' AND (NEW.reason IS NULL OR NEW.reason IN ('no_node', 'stopped', 'backing_off', 'budget'))
      THEN OLD.never_fits_since END;
  IF NEW.never_fits_since IS NULL THEN NEW.never_fits_ends_at := NULL; END IF;
  RETURN NEW;
END $$;

-- The GPUs that a job requests.
CREATE FUNCTION requested_gpus(spec jsonb) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce((spec->>'gpu_fraction')::float8, (spec->>'gpu_count')::float8, 1)
         * coalesce((spec->>'instance_count')::float8, 1)
$$;

-- Jobs that have not ended, and why they wait.
CREATE VIEW active_jobs AS
  SELECT status, CASE WHEN status = 'pending' THEN reason END AS reason FROM jobs
   WHERE status IN ('pending', 'scheduled', 'running');

ALTER TABLE jobs ADD CONSTRAINT jobs_completed_check CHECK (status <> 'completed' OR exit_code = 0);
ALTER TABLE jobs ADD CONSTRAINT jobs_few_tags CHECK (cardinality(tags) <= 20);
ALTER TABLE jobs ADD CONSTRAINT jobs_files_deleted_check CHECK ((files_deleted IS NOT DISTINCT FROM 'retention') = (deleted_after_days IS NOT NULL) AND deleted_after_days > 0);
ALTER TABLE jobs ADD CONSTRAINT jobs_metrics_by_name CHECK (jsonb_typeof(final_metrics) = 'object');

-- A job runs solution.py or a command.
ALTER TABLE jobs ADD CONSTRAINT jobs_program_check CHECK (command IS NULL OR program_hash IS NULL);

ALTER TABLE jobs ADD CONSTRAINT jobs_short_note CHECK (char_length(note) <= 4000);

-- A verdict has a time and a reason. A job without one has neither end nor exit code.
ALTER TABLE jobs ADD CONSTRAINT jobs_verdict_check CHECK (
  CASE WHEN status IN ('completed', 'failed', 'cancelled')
    THEN ended_at IS NOT NULL AND reason IS NOT NULL
    ELSE ended_at IS NULL AND exit_code IS NULL
  END
);

-- A job that waited for itself would never start.
ALTER TABLE job_dependencies ADD CONSTRAINT job_dependencies_others CHECK (job_id <> depends_on);

ALTER TABLE model_requirements ADD CONSTRAINT model_requirements_milli_check CHECK (milli BETWEEN 1 AND 8000);

CREATE INDEX jobs_active ON jobs (user_id) WHERE status IN ('pending', 'scheduled', 'running');

CREATE INDEX jobs_by_gpu_hours ON jobs ((requested_gpus(spec) * extract(epoch FROM ended_at - started_at)::float8 / 3600), id)
  WHERE started_at IS NOT NULL AND ended_at IS NOT NULL;

-- The other orders of the list. Only jobs that have ended are in them, so they cost nothing before.
CREATE INDEX jobs_by_run_time ON jobs ((extract(epoch FROM ended_at - started_at)::float8), id)
  WHERE started_at IS NOT NULL AND ended_at IS NOT NULL;

CREATE INDEX jobs_by_wait ON jobs ((extract(epoch FROM started_at - created_at)::float8), id)
  WHERE started_at IS NOT NULL AND ended_at IS NOT NULL;

CREATE INDEX jobs_completed ON jobs (ended_at DESC) WHERE status = 'completed';

-- The latest completed jobs of a user and of everybody, from which run times are predicted.
CREATE INDEX jobs_completed_by_user ON jobs (user_id, ended_at DESC) WHERE status = 'completed';

CREATE INDEX jobs_ended_otherwise ON jobs (ended_at) WHERE status IN ('failed', 'cancelled');

-- The few waiting jobs that no node fits.
CREATE INDEX jobs_never_fits ON jobs (never_fits_since) WHERE never_fits_since IS NOT NULL;

-- Whether another job needs a program.
CREATE INDEX jobs_of_program ON jobs (program_hash) WHERE program_hash IS NOT NULL;

-- Few jobs have a run, so this index costs the others nothing.
CREATE INDEX jobs_of_run ON jobs (named_run_id) WHERE named_run_id IS NOT NULL;

-- The jobs of a token, in the order of lists.
CREATE INDEX jobs_of_token ON jobs (token_id, created_at DESC, id DESC) WHERE token_id IS NOT NULL;

-- One live job of a run.
CREATE UNIQUE INDEX jobs_one_live_run ON jobs (named_run_id)
  WHERE named_run_id IS NOT NULL AND status IN ('pending', 'scheduled', 'running');

-- Two live attempts never share a subnet.
CREATE UNIQUE INDEX jobs_one_network ON jobs (network_index) WHERE network_index IS NOT NULL;

-- The queue in its order, and the active jobs of one user: both stay as small as the live part of the table.
CREATE INDEX jobs_pending ON jobs (priority DESC, created_at, id) WHERE status = 'pending';

-- Whether a job like this one is alive or has completed.
CREATE INDEX jobs_same_content ON jobs (user_id, content_hash) WHERE content_hash IS NOT NULL;

CREATE INDEX jobs_search_words ON jobs USING gin (search_words);

-- Few jobs have a star or tags, so these indexes are small and cost other jobs nothing.
CREATE INDEX jobs_starred ON jobs (user_id, created_at DESC, id DESC) WHERE starred;

CREATE INDEX jobs_tagged ON jobs USING gin (tags) WHERE tags <> '{}';

-- Whether a directory is needed, and which jobs to tell that it is gone, is asked of each directory in turn.
CREATE INDEX jobs_with_archive ON jobs (archive_id) WHERE archive_id IS NOT NULL;

-- Where the sweep looks every minute for what is too old.
CREATE INDEX jobs_with_files ON jobs (project_id, ended_at) WHERE result_stored AND deleted_after_days IS NULL;

-- A search by a metric reads no other jobs. Jobs without metrics are not in the index and cost nothing.
CREATE INDEX jobs_with_metrics ON jobs (user_id, created_at DESC, id DESC) WHERE final_metrics <> '{}';

-- Jobs whose output still waits to become a file.
CREATE INDEX jobs_without_result ON jobs (ended_at) WHERE status IN ('completed', 'failed', 'cancelled') AND NOT result_stored;

-- PostgreSQL keeps no statistics for the expressions of partial indexes. Without them it expects that a third of all jobs meet a limit.
CREATE STATISTICS jobs_amounts ON
  (extract(epoch FROM ended_at - started_at)::float8),
  (extract(epoch FROM started_at - created_at)::float8),
  (requested_gpus(spec) * extract(epoch FROM ended_at - started_at)::float8 / 3600)
  FROM jobs;

CREATE TRIGGER count_active_added AFTER INSERT ON jobs REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_active_jobs();

CREATE TRIGGER count_active_changed AFTER UPDATE ON jobs REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_active_jobs();

CREATE TRIGGER count_active_removed AFTER DELETE ON jobs REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_active_jobs();

CREATE TRIGGER keep_never_fits_since BEFORE UPDATE OF status, reason ON jobs FOR EACH ROW
  WHEN (NEW.reason = 'never_fits' OR OLD.never_fits_since IS NOT NULL) EXECUTE FUNCTION keep_never_fits_since();
