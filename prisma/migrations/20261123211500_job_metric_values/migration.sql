-- CreateTable
CREATE TABLE "job_metrics" (
    "job_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "job_metrics_pkey" PRIMARY KEY ("job_id","name")
);

-- CreateIndex
CREATE INDEX "job_metrics_name_value_job_id_idx" ON "job_metrics"("name", "value", "job_id");

-- AddForeignKey
ALTER TABLE "job_metrics" ADD CONSTRAINT "job_metrics_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- No index of a JSON column finds the jobs with a number below a limit, whatever its name.
CREATE FUNCTION "store_job_metrics"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "job_metrics" WHERE "job_id" = NEW."id";
  INSERT INTO "job_metrics" ("job_id", "name", "value")
  SELECT NEW."id", metric.key, metric.value::float8 FROM jsonb_each_text(NEW."final_metrics") metric;
  RETURN NULL;
END $$;

-- Once for each job: when its output becomes a file.
CREATE TRIGGER "jobs_metrics" AFTER UPDATE OF "final_metrics" ON "jobs"
  FOR EACH ROW WHEN (NEW."final_metrics" IS DISTINCT FROM OLD."final_metrics") EXECUTE FUNCTION store_job_metrics();
CREATE TRIGGER "jobs_first_metrics" AFTER INSERT ON "jobs"
  FOR EACH ROW WHEN (NEW."final_metrics" <> '{}') EXECUTE FUNCTION store_job_metrics();

INSERT INTO "job_metrics" ("job_id", "name", "value")
SELECT job."id", metric.key, metric.value::float8 FROM "jobs" job, jsonb_each_text(job."final_metrics") metric;
