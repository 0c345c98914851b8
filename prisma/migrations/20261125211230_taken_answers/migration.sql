-- How often a join link answered that a user id is taken.
ALTER TABLE "join_links" ADD COLUMN "taken_answers" INTEGER NOT NULL DEFAULT 0;
