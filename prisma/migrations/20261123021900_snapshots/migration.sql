-- CreateTable
CREATE TABLE "snapshots" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "archive_id" UUID NOT NULL,
    "created_by_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "shared_at" TIMESTAMPTZ(3),

    CONSTRAINT "snapshots_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "snapshot_names" (
    "project_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "last_version" INTEGER NOT NULL,

    CONSTRAINT "snapshot_names_pkey" PRIMARY KEY ("project_id","name")
);

-- CreateIndex
CREATE INDEX "snapshots_archive_id_idx" ON "snapshots"("archive_id");

-- CreateIndex
CREATE UNIQUE INDEX "snapshots_project_id_name_version_key" ON "snapshots"("project_id", "name", "version");

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_archive_id_fkey" FOREIGN KEY ("archive_id") REFERENCES "archives"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshot_names" ADD CONSTRAINT "snapshot_names_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_version_check" CHECK ("version" > 0);

-- Finds a shared name without a scan. There are few shared snapshots, and every project looks for them.
CREATE INDEX "snapshots_shared" ON "snapshots" ("name", "version") WHERE "shared_at" IS NOT NULL;
