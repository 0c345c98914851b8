-- CreateTable
CREATE TABLE "replaced_jobs" (
    "job_id" UUID NOT NULL,
    "group_id" UUID NOT NULL,
    "index" INTEGER NOT NULL,

    CONSTRAINT "replaced_jobs_pkey" PRIMARY KEY ("job_id")
);

-- CreateIndex
CREATE INDEX "replaced_jobs_group_id_index_idx" ON "replaced_jobs"("group_id", "index");

-- AddForeignKey
ALTER TABLE "replaced_jobs" ADD CONSTRAINT "replaced_jobs_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "replaced_jobs" ADD CONSTRAINT "replaced_jobs_group_id_index_fkey" FOREIGN KEY ("group_id", "index") REFERENCES "group_members"("group_id", "index") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE FUNCTION count_changed_group_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_changes (user_id, project_id, kind, bytes)
  VALUES (NEW.user_id, NEW.project_id, 'records', NEW.record_bytes - OLD.record_bytes);
  RETURN NULL;
END $$;

CREATE TRIGGER count_records_changed AFTER UPDATE OF record_bytes ON job_groups FOR EACH ROW
  WHEN (OLD.record_bytes <> NEW.record_bytes) EXECUTE FUNCTION count_changed_group_records();
