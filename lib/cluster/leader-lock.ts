/** The advisory lock that the leader holds: any constant, one leader at a time per database. */
export const leaderLock = 4_711_470_003
