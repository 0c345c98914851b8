-- A group whose first member has entered the queue, and one that was cancelled, waits for nothing. Without this, a group that ran during the
-- upgrade would be shown as one that waits, until its next member enters.
DELETE FROM group_dependencies d USING job_groups g
 WHERE g.id = d.group_id AND (g.cancelled_at IS NOT NULL OR EXISTS (SELECT 1 FROM jobs j WHERE j.group_id = g.id));
