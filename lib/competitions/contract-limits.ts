/* How much a competition may have. Browsers load this without zod. */

/** How many of each a competition may have. */
export const most = {
  phases: 20,
  datasets: 20,
  columns: 50,
  outputs: 20,
  pages: 10,
  teamMembers: 20,
} as const

/** What keeps the rows of competitions from growing without end. */
export const maxCompetitions = 2_000
export const maxTeams = 20_000
/** Invitations of a team that nobody has answered. */
export const maxInvitations = 20
export const maxRosterLines = 100_000
/** Versions of a dataset or of the scoring program, and phases with those that were removed. */
export const maxVersions = 500
/** Entries of a team in a competition, with rehearsals. */
export const maxEntries = 20_000
/** Runs of scoring programs over one entry. */
export const maxScoreRuns = 100
/** Sets of runs that score a phase again. Each has one run over an entry, and an entry has few others. */
export const maxRescores = 90

/** Bytes of competition.yaml, of a page and of a roster. */
export const maxCompetitionBytes = 256 * 1024
export const maxPageBytes = 512 * 1024
export const maxRosterBytes = 8 * 1024 * 1024
