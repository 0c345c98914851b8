-- Details are bounded where events are written. This finds a statement that bypasses it. Older events keep theirs.
ALTER TABLE audit_events ADD CONSTRAINT audit_events_detail_size CHECK (octet_length(detail::text) <= 8192) NOT VALID;
