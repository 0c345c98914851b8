-- AlterTable
ALTER TABLE "memberships" ADD COLUMN     "may_push" BOOLEAN NOT NULL DEFAULT true;

-- Members keep the right, except in projects that people have joined by a link: it is not known who came by it. Links are
-- deleted a month after they expired, so the audit log is asked too.
UPDATE "memberships" m SET "may_push" = false
  FROM "projects" p JOIN "users" o ON o."id" = p."owner_id"
 WHERE p."id" = m."project_id"
   AND (EXISTS (SELECT 1 FROM "join_links" l WHERE l."project_id" = p."id")
        OR EXISTS (SELECT 1 FROM "audit_events" e
                    WHERE e."target" = o."handle" || '/' || p."slug"
                      AND (e."action" = 'join_link_created' OR e."action" = 'project_joined' AND e."detail" ? 'join_link')));

ALTER TABLE "memberships" ALTER COLUMN "may_push" SET DEFAULT false;
