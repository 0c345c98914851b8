-- CreateTable
CREATE TABLE "job_dependencies" (
    "job_id" UUID NOT NULL,
    "depends_on" UUID NOT NULL,

    CONSTRAINT "job_dependencies_pkey" PRIMARY KEY ("job_id","depends_on")
);

-- CreateIndex
CREATE INDEX "job_dependencies_depends_on_idx" ON "job_dependencies"("depends_on");

-- AddForeignKey
ALTER TABLE "job_dependencies" ADD CONSTRAINT "job_dependencies_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_dependencies" ADD CONSTRAINT "job_dependencies_depends_on_fkey" FOREIGN KEY ("depends_on") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
