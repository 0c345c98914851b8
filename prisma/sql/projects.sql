ALTER TABLE join_links ADD CONSTRAINT join_links_limit CHECK (joined BETWEEN 0 AND max_people);

-- Nobody agrees to a private project: it shows no jobs that it did not show before.
ALTER TABLE memberships ADD CONSTRAINT memberships_agreement_check CHECK (CASE WHEN agreed_at IS NULL THEN agreed_kind IS NULL
              ELSE agreed_kind IS NOT NULL AND agreed_kind <> 'private' END);

ALTER TABLE projects ADD CONSTRAINT projects_retention_check CHECK (retention_days >= 0);
ALTER TABLE projects ADD CONSTRAINT projects_shares_check CHECK (weight > 0 AND gpu_quota_milli >= 0 AND gpu_hour_budget >= 0 AND owner_gpu_hour_budget >= 0);

CREATE INDEX project_invitations_handle_idx ON project_invitations (lower(handle));

-- One invitation for a user id in any letter case, and the invitations of a user.
CREATE UNIQUE INDEX project_invitations_project_id_handle_key ON project_invitations (project_id, lower(handle));
