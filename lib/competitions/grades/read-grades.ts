import type { z } from 'zod'
import type { Actor } from '../../access/actor'
import { forbidden } from '../../contract/errors'
import { database } from '../../database/client'
import { cutPage, decodeCursor, type Page } from '../../database/pagination'
import { findCompetition, type PhaseRow, phaseColumns, requireStaff, type SeenCompetition } from '../access'
import type { ScoredEntry } from '../boards/rank'
import type { Extension, Grades, gradeListQuerySchema, Override } from '../contract-grades'
import { type GradedPhase, gradeStudent } from './grade'

export interface Student {
  userId: string
  handle: string
  name: string | null
  email: string | null
  section: string | null
  team: string | null
  teamId: string
  graceDays: number
}

/** A participant with the grades in all phases. */
export interface StudentGrades extends Student {
  cells: Grades['cells']
  graceDaysLeft: number
}

export const toGrades = (student: StudentGrades): Grades => ({
  user_id: student.handle,
  name: student.name,
  section: student.section,
  team: student.team,
  grace_days: student.graceDays,
  grace_days_left: student.graceDaysLeft,
  cells: student.cells,
})

/** Participants of a competition by their user ids, after one of them. */
async function readStudents(
  { id }: Pick<SeenCompetition, 'id'>,
  { after, limit, userId }: { after?: string | null; limit: number; userId?: string },
): Promise<Student[]> {
  const { rows } = await database().pool.query<Student>({
    name: 'read-students',
    text: `SELECT u.id AS "userId", u.handle, u.name, u.email, m.section, t.name AS team, t.id AS "teamId", m.grace_days AS "graceDays"
             FROM competition_members m JOIN users u ON u.id = m.user_id JOIN competition_teams t ON t.id = m.team_id
            WHERE m.competition_id = $1 AND m.role = 'participant' AND m.state = 'joined'
              AND ($2::text IS NULL OR lower(u.handle) > $2) AND ($3::uuid IS NULL OR u.id = $3)
            ORDER BY lower(u.handle) LIMIT $4`,
    values: [id, after ?? null, userId ?? null, limit],
  })
  return rows
}

/** The phases that a competition has now, in their order. */
export async function readPhases({ id }: Pick<SeenCompetition, 'id'>): Promise<PhaseRow[]> {
  const { rows } = await database().pool.query<PhaseRow>({
    name: 'phases-to-grade',
    text: `SELECT ${phaseColumns} FROM competition_phases p WHERE p.competition_id = $1 AND p.position IS NOT NULL ORDER BY p.position`,
    values: [id],
  })
  return rows
}

/** Computes the grades of participants. Those of the staff are final; participants see the final ones after the reveal. */
async function gradeStudents(
  { spec, timezone, isStaff }: SeenCompetition,
  phases: readonly PhaseRow[],
  students: readonly Student[],
): Promise<StudentGrades[]> {
  const phaseIds = phases.map(({ id }) => id)
  const userIds = students.map(({ userId }) => userId)
  const entries = await readEntriesOf(
    phaseIds,
    students.map(({ teamId }) => teamId),
  )
  const extensions = await readExtensions(phaseIds, userIds)
  const overrides = await readOverrides(phaseIds, userIds)
  const revealed = new Set(phases.flatMap(({ key, revealedAt }) => (revealedAt === null ? [] : [key])))
  const rules = {
    columns: spec.scorer.columns,
    timezone,
    isFinal: ({ key }: GradedPhase['phase']) => isStaff || revealed.has(key),
  }
  return students.map((student) => {
    const graded = phases.map((phase) => ({
      phase,
      entries: entries.get(`${phase.id} ${student.teamId}`) ?? [],
      extension: extensions.get(`${phase.id} ${student.userId}`) ?? null,
      override: overrides.get(`${phase.id} ${student.userId}`) ?? null,
    }))
    return { ...student, ...gradeStudent(graded, rules, student.graceDays) }
  })
}

/** The scored entries of teams that are not disqualified, the oldest first, by phase and team. */
async function readEntriesOf(
  phaseIds: readonly string[],
  teamIds: readonly string[],
): Promise<Map<string, ScoredEntry[]>> {
  const { rows } = await database().pool.query<ScoredEntry & { phaseId: string }>({
    name: 'entries-to-grade',
    text: `SELECT e.id, e.phase_id AS "phaseId", e.team_id AS "teamId", t.name AS team, e.received_at AS "receivedAt", e.chosen, coalesce(r.scores, '{}') AS scores, 1 AS entries
             FROM entries e JOIN score_runs r ON r.id = e.score_run_id JOIN competition_teams t ON t.id = e.team_id
            WHERE e.phase_id = ANY ($1::uuid[]) AND e.team_id = ANY ($2::uuid[]) AND e.kind = 'entry' AND e.state = 'scored'
              AND e.disqualified_at IS NULL
            ORDER BY e.received_at, e.id`,
    values: [phaseIds, teamIds],
  })
  const found = new Map<string, ScoredEntry[]>()
  for (const { phaseId, ...entry } of rows) {
    const key = `${phaseId} ${entry.teamId}`
    const known = found.get(key)
    if (known) known.push(entry)
    else found.set(key, [entry])
  }
  return found
}

interface Given {
  phaseId: string
  userId: string
  reason: string
  by: string | null
  at: Date
}

const keyOf = ({ phaseId, userId }: Given) => `${phaseId} ${userId}`

async function readExtensions(
  phaseIds: readonly string[],
  userIds: readonly string[],
): Promise<Map<string, Extension>> {
  const { rows } = await database().pool.query<Given & { until: Date }>({
    name: 'read-extensions',
    text: `SELECT x.phase_id AS "phaseId", x.user_id AS "userId", x.until, x.reason, g.handle AS by, x.given_at AS at
             FROM competition_extensions x LEFT JOIN users g ON g.id = x.given_by_id
            WHERE x.phase_id = ANY ($1::uuid[]) AND x.user_id = ANY ($2::uuid[])`,
    values: [phaseIds, userIds],
  })
  return new Map(
    rows.map((row) => [
      keyOf(row),
      { until: row.until.toISOString(), reason: row.reason, by: row.by, at: row.at.toISOString() },
    ]),
  )
}

async function readOverrides(
  phaseIds: readonly string[],
  userIds: readonly string[],
): Promise<Map<string, Override>> {
  const { rows } = await database().pool.query<Given & { value: number }>({
    name: 'read-overrides',
    text: `SELECT o.phase_id AS "phaseId", o.user_id AS "userId", o.value, o.reason, g.handle AS by, o.given_at AS at
             FROM grade_overrides o LEFT JOIN users g ON g.id = o.given_by_id
            WHERE o.phase_id = ANY ($1::uuid[]) AND o.user_id = ANY ($2::uuid[])`,
    values: [phaseIds, userIds],
  })
  return new Map(
    rows.map((row) => [
      keyOf(row),
      { value: row.value, reason: row.reason, by: row.by, at: row.at.toISOString() },
    ]),
  )
}

/** Reads the gradebook for the staff, by user ids. */
export async function listGrades(
  actor: Actor,
  slug: string,
  { limit, cursor }: z.output<typeof gradeListQuerySchema>,
): Promise<Page<Grades>> {
  const competition = await findCompetition(actor, slug)
  requireStaff(competition)
  const [after = null] = cursor === undefined ? [] : decodeCursor(cursor, 1)
  const students = await readStudents(competition, { after, limit: limit + 1 })
  const graded = await gradeStudents(competition, await readPhases(competition), students)
  return cutPage(graded, limit, ({ handle }) => [handle.toLowerCase()], toGrades)
}

/** Students whose grades are computed together, so that a large class needs little memory. */
const together = 100

/** The gradebook in parts. */
export async function* streamGrades(
  competition: SeenCompetition,
  phases: readonly PhaseRow[],
): AsyncGenerator<StudentGrades[]> {
  let after: string | null = null
  for (;;) {
    const students: Student[] = await readStudents(competition, { after, limit: together })
    if (students.length > 0) yield await gradeStudents(competition, phases, students)
    if (students.length < together) return
    after = students.at(-1)?.handle.toLowerCase() ?? null
  }
}

/** Reads the grades of a participant who asks. @throws 403 for others. */
export async function readOwnGrades(actor: Actor, slug: string): Promise<Grades> {
  const competition = await findCompetition(actor, slug)
  const [student] = await readStudents(competition, { limit: 1, userId: actor.userId })
  if (!student) throw forbidden(`Only participants of "${slug}" have grades. Join it first.`)
  // An admin who takes part sees what other participants see.
  const [own] = await gradeStudents({ ...competition, isStaff: false }, await readPhases(competition), [
    student,
  ])
  if (!own) throw new Error('A participant who was found has no grades.')
  return toGrades(own)
}
