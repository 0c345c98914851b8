-- The list is empty, never null.
ALTER TABLE api_tokens ALTER COLUMN scopes SET NOT NULL;

ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_known_scopes CHECK (scopes <@ ARRAY['submit', 'read', 'admin']);

-- A token of a class submits and reads, and nothing else.
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_class_check CHECK (project_id IS NULL OR scopes <@ ARRAY['submit', 'read']);

-- The token of an agent submits and reads too. It is bound to no class.
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_agent_check CHECK (limits IS NULL OR (project_id IS NULL AND scopes <@ ARRAY['submit', 'read']));

ALTER TABLE users ADD CONSTRAINT users_unix_ids_check CHECK (unix_uid >= 1000 AND unix_gid >= 1);

CREATE UNIQUE INDEX users_email_lower_key ON users (lower(email));

-- Handles and e-mail addresses are unique without regard to case.
CREATE UNIQUE INDEX users_handle_lower_key ON users (lower(handle));
