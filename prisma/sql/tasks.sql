-- Lists are empty, never null.
ALTER TABLE task_usage ALTER COLUMN cpu_cores SET NOT NULL;
ALTER TABLE task_usage ALTER COLUMN memory_mib SET NOT NULL;

ALTER TABLE allocations ADD CONSTRAINT allocations_milli_check CHECK (milli BETWEEN 1 AND 1000);
ALTER TABLE task_usage ADD CONSTRAINT task_usage_length CHECK (cardinality(cpu_cores) = cardinality(memory_mib) AND cardinality(cpu_cores) <= 360);
ALTER TABLE tasks ADD CONSTRAINT tasks_metrics_by_name CHECK (jsonb_typeof(metrics) = 'object');

-- Each look at the cluster and each node's reconcile asks who holds a GPU now. Their cost must not grow with the history of
-- allocations.
CREATE INDEX allocations_held ON allocations (gpu_id) WHERE released_at IS NULL;

-- What ended in a range of days. Completed jobs have the index jobs_completed.
CREATE INDEX allocations_released ON allocations (released_at) WHERE released_at IS NOT NULL;

CREATE INDEX tasks_live ON tasks (node_id) WHERE status IN ('scheduled', 'starting', 'running');

-- One live task per job and rank, and with it one live attempt per job.
CREATE UNIQUE INDEX tasks_one_live ON tasks (job_id, rank) WHERE status IN ('scheduled', 'starting', 'running');
