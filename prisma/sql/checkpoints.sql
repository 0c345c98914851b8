-- The unique index of Prisma does not compare rows without a user.
CREATE UNIQUE INDEX runs_of_project ON runs (project_id, name) WHERE user_id IS NULL;
