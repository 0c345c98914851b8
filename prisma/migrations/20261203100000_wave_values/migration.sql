-- In a migration of its own: PostgreSQL uses a new value only after it is committed.
ALTER TYPE "GroupKind" ADD VALUE 'wave';
ALTER TYPE "MemberState" ADD VALUE 'existing';
