-- CreateTable
CREATE TABLE "announcements" (
    "id" UUID NOT NULL,
    "singleton" BOOLEAN NOT NULL DEFAULT true,
    "text" TEXT NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "announcements_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "announcements_singleton_key" ON "announcements"("singleton");

-- There is at most one, and it is short.
ALTER TABLE "announcements" ADD CONSTRAINT "announcements_one" CHECK ("singleton"),
ADD CONSTRAINT "announcements_short" CHECK (char_length("text") BETWEEN 1 AND 500);

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "dismissed_announcement" UUID;
