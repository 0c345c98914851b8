-- In a migration of its own: PostgreSQL uses a new value only after it is committed.
ALTER TYPE "StorageKind" ADD VALUE 'records';
