-- It is for a job or for a group, and has its id.
ALTER TABLE approval_requests ADD CONSTRAINT approval_requests_target CHECK (num_nonnulls(job_id, group_id) = 1 AND id = coalesce(job_id, group_id));
