/* What somebody is in a competition. Browsers load this without zod. */

export const competitionRoles = ['host', 'instructor', 'ta', 'participant', 'observer'] as const

export type CompetitionRole = (typeof competitionRoles)[number]

/** Roles that see entries and logs of all teams. */
export const staffRoles: readonly CompetitionRole[] = ['host', 'instructor', 'ta']
