-- A run belongs to all members of the project, to a user, or to the token of an agent. Each has a name once.
CREATE UNIQUE INDEX runs_of_project ON runs (project_id, name) WHERE user_id IS NULL;

CREATE UNIQUE INDEX runs_of_user ON runs (project_id, user_id, name) WHERE token_id IS NULL;

CREATE UNIQUE INDEX runs_of_token ON runs (token_id, project_id, name) WHERE token_id IS NOT NULL;
