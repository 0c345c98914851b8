-- CreateTable
CREATE TABLE "checkpoint_files" (
    "project_id" UUID NOT NULL,
    "run_name" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "object" UUID NOT NULL,
    "bytes" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "mtime_ns" BIGINT NOT NULL,
    "executable" BOOLEAN NOT NULL,
    "task_id" UUID NOT NULL,
    "stored_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "checkpoint_files_pkey" PRIMARY KEY ("project_id","run_name","path")
);

-- CreateIndex
CREATE UNIQUE INDEX "checkpoint_files_object_key" ON "checkpoint_files"("object");

-- AddForeignKey
ALTER TABLE "checkpoint_files" ADD CONSTRAINT "checkpoint_files_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
