-- Links with which people join a project. Only the hash of a token is stored.
CREATE TABLE "join_links" (
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_by_id" UUID NOT NULL,
    "max_people" INTEGER NOT NULL,
    "joined" INTEGER NOT NULL DEFAULT 0,
    "new_accounts" BOOLEAN NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "join_links_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "join_links_limit" CHECK ("joined" BETWEEN 0 AND "max_people")
);

CREATE UNIQUE INDEX "join_links_hash_key" ON "join_links"("hash");
CREATE INDEX "join_links_project_id_idx" ON "join_links"("project_id");

ALTER TABLE "join_links" ADD CONSTRAINT "join_links_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "join_links" ADD CONSTRAINT "join_links_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
