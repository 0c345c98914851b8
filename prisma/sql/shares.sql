-- Lists are empty, never null.
ALTER TABLE result_shares ALTER COLUMN columns SET NOT NULL;
ALTER TABLE result_shares ALTER COLUMN job_ids SET NOT NULL;
ALTER TABLE result_shares ALTER COLUMN metrics SET NOT NULL;

-- A link ends with the credential that made it, so it has one.
ALTER TABLE download_links ADD CONSTRAINT download_links_credential CHECK (num_nonnulls(token_id, session_id) = 1);
