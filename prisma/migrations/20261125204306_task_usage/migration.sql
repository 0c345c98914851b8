-- What a task used over its run: one value for each interval since its start, so that its size is bounded.
CREATE TABLE "task_usage" (
    "task_id" UUID NOT NULL,
    "interval_s" INTEGER NOT NULL,
    "cpu_cores" REAL[],
    "memory_mib" INTEGER[],

    CONSTRAINT "task_usage_pkey" PRIMARY KEY ("task_id"),
    CONSTRAINT "task_usage_length" CHECK (cardinality("cpu_cores") = cardinality("memory_mib") AND cardinality("cpu_cores") <= 360)
);

ALTER TABLE "task_usage" ADD CONSTRAINT "task_usage_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;
