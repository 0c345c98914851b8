-- The list is empty, never null.
ALTER TABLE accounting_days ALTER COLUMN waits SET NOT NULL;

-- One row.
ALTER TABLE accounting_state ADD CONSTRAINT accounting_state_one_row CHECK (id = 1);
