-- The list is empty, never null.
ALTER TABLE slurm_steps ALTER COLUMN gpu_indexes SET NOT NULL;

-- As the other tables of one row.
ALTER TABLE slurm_cluster ADD CONSTRAINT slurm_cluster_one_row CHECK (id = 1);

-- Slurm requires a reason for a drain.
ALTER TABLE slurm_node_requests ADD CONSTRAINT slurm_node_requests_reason CHECK (NOT drained OR reason IS NOT NULL);

-- A job is never in Slurm twice, and a Slurm job never runs two jobs.
CREATE UNIQUE INDEX slurm_jobs_live ON slurm_jobs(job_id) WHERE ended_at IS NULL;

CREATE UNIQUE INDEX slurm_jobs_live_slurm_id ON slurm_jobs(slurm_id) WHERE ended_at IS NULL;

-- NULL counts as a value, so there is one default row.
DROP INDEX slurm_targets_project_id_pool_key;
CREATE UNIQUE INDEX slurm_targets_project_id_pool_key ON slurm_targets(project_id, pool) NULLS NOT DISTINCT;
