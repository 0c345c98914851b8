-- The list is empty, never null.
ALTER TABLE environments ALTER COLUMN prepare SET NOT NULL;

-- There is one default environment at most.
CREATE UNIQUE INDEX environments_one_default ON environments (is_default) WHERE is_default;
