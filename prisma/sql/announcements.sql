-- There is at most one, and it is short.
ALTER TABLE announcements ADD CONSTRAINT announcements_one CHECK (singleton);

ALTER TABLE announcements ADD CONSTRAINT announcements_short CHECK (char_length(text) BETWEEN 1 AND 500);
