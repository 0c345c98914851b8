/** The advisory lock that the leader holds: any constant, one leader at a time per database. */
export const leaderLock = 4_711_470_003

/** SQL: whether somebody leads. A lock's 64-bit key stands in two halves. */
export const isLed = `EXISTS (SELECT 1 FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND (classid::int8 << 32) + objid::int8 = ${leaderLock}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`
