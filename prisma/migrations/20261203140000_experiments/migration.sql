-- CreateTable
CREATE TABLE "experiments" (
    "id" UUID NOT NULL,
    "job_id" UUID,
    "group_id" UUID,
    "user_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "parent_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "experiments_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "experiments_job_id_key" ON "experiments"("job_id");

-- CreateIndex
CREATE UNIQUE INDEX "experiments_group_id_key" ON "experiments"("group_id");

-- CreateIndex
CREATE INDEX "experiments_user_id_created_at_id_idx" ON "experiments"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "experiments_project_id_created_at_id_idx" ON "experiments"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "experiments_parent_id_created_at_id_idx" ON "experiments"("parent_id", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_group_id_fkey" FOREIGN KEY ("group_id") REFERENCES "job_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "experiments"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Puts a new job or group into the tree of experiments, and the one that it follows. If that one was deleted meanwhile, it is a root.
-- A member of a wave with a hypothesis of its own follows its group.
CREATE FUNCTION plant_experiment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  followed UUID := (NEW.spec->>'parent')::uuid;
BEGIN
  IF TG_TABLE_NAME = 'jobs' AND followed IS NULL THEN
    followed := NEW.group_id;
  END IF;
  INSERT INTO experiments (id, job_id, group_id, user_id, project_id, created_at)
  SELECT id, id, NULL, user_id, project_id, created_at FROM jobs WHERE id = followed
  UNION ALL SELECT id, NULL, id, user_id, project_id, created_at FROM job_groups WHERE id = followed
  ON CONFLICT DO NOTHING;
  INSERT INTO experiments (id, job_id, group_id, user_id, project_id, parent_id, created_at)
  SELECT NEW.id, CASE TG_TABLE_NAME WHEN 'jobs' THEN NEW.id END, CASE TG_TABLE_NAME WHEN 'job_groups' THEN NEW.id END,
         NEW.user_id, NEW.project_id, (SELECT id FROM experiments WHERE id = followed FOR KEY SHARE), NEW.created_at;
  RETURN NULL;
END $$;

ALTER TABLE experiments ADD CONSTRAINT experiments_of_one CHECK (num_nonnulls(job_id, group_id) = 1 AND id = coalesce(job_id, group_id));

-- An experiment follows one that exists before it, and this never changes: so the tree has no circle.
ALTER TABLE experiments ADD CONSTRAINT experiments_parent_check CHECK (parent_id <> id);

CREATE TRIGGER jobs_experiment AFTER INSERT ON jobs
  FOR EACH ROW WHEN (NEW.spec ?| '{parent,hypothesis}') EXECUTE FUNCTION plant_experiment();

CREATE TRIGGER job_groups_experiment AFTER INSERT ON job_groups
  FOR EACH ROW WHEN (NEW.spec ?| '{parent,hypothesis}') EXECUTE FUNCTION plant_experiment();
