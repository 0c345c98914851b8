-- Who holds a GPU now is asked by every look at the cluster and by every node's reconcile: their cost must not grow
-- with the history of allocations.
CREATE INDEX "allocations_held" ON "allocations" ("gpu_id") WHERE "released_at" IS NULL;
