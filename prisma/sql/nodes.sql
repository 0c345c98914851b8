-- The list is empty, never null.
ALTER TABLE nodes ALTER COLUMN warnings SET NOT NULL;

-- A GPU is never given twice.
ALTER TABLE gpus ADD CONSTRAINT gpus_allocated_milli_check CHECK (allocated_milli BETWEEN 0 AND 1000);

ALTER TABLE gpus ADD CONSTRAINT gpus_forgotten CHECK (forgotten_at IS NULL OR (missing AND allocated_milli = 0));

-- What is served or given out is not forgotten, whatever an admin and a worker do at the same moment.
ALTER TABLE nodes ADD CONSTRAINT nodes_forgotten CHECK (forgotten_at IS NULL OR status IN ('lost', 'drained'));

-- Only a simulated node is served by another one's worker.
ALTER TABLE nodes ADD CONSTRAINT nodes_host_check CHECK (simulated = (host_node_id IS NOT NULL));
