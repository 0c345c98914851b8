import type { Actor } from '../../access/actor'
import { renewActor } from '../../access/credential-validity'
import { toCell } from '../../contract/text/csv-cell'
import { contentDisposition } from '../../jobs/downloads/content-disposition'
import { findCompetition, type PhaseRow, requireInstructor } from '../access'
import type { GradeFormat } from '../contract-grades'
import { readPhases, type StudentGrades, streamGrades } from './read-grades'

/** The gradebook as CSV, for instructors and hosts: it has e-mail addresses. */
export async function downloadGrades(actor: Actor, slug: string, format: GradeFormat): Promise<Response> {
  const competition = await findCompetition(actor, slug)
  requireInstructor(competition)
  const phases = await readPhases(competition)
  return contentDisposition(toCsv(phases, streamGrades(competition, phases), format), {
    name: `${slug}-grades${format === 'plain' ? '' : `-${format}`}.csv`,
    type: 'text/csv; charset=utf-8',
    mayRead: async () => {
      const current = await renewActor(actor)
      if (current === null) return false
      return findCompetition(current, slug).then(
        (seen) => seen.isHost || seen.role === 'instructor',
        () => false,
      )
    },
  })
}

type Value = string | number | null

const titleOf = ({ key, spec }: Pick<PhaseRow, 'key' | 'spec'>) => spec.title ?? key

/** The lines above the participants, and the line of a participant; null: the product cannot assign one. */
interface Layout {
  head: (phases: readonly PhaseRow[]) => Value[][]
  line: (student: StudentGrades) => Value[] | null
}

const gradesOf = ({ cells }: StudentGrades) => cells.map(({ value }) => value)

const layouts: Record<GradeFormat, Layout> = {
  plain: {
    head: (phases) => [
      [
        'user_id',
        'name',
        'email',
        'section',
        'team',
        ...phases.flatMap(({ key }) => [key, `${key}_raw`, `${key}_why`]),
      ],
    ],
    line: (student) => [
      student.handle,
      student.name,
      student.email,
      student.section,
      student.team,
      ...student.cells.flatMap(({ value, raw, penalty, override }) => [
        value,
        raw,
        override?.reason ?? penalty?.explanation ?? null,
      ]),
    ],
  },
  // Canvas finds a student by the login if the two columns of ids are empty.
  canvas: {
    head: (phases) => [
      ['Student', 'ID', 'SIS User ID', 'SIS Login ID', 'Section', ...phases.map(titleOf)],
      ['    Points Possible', null, null, null, null, ...phases.map(({ spec }) => spec.points ?? null)],
    ],
    line: (student) => [
      student.name ?? student.handle,
      null,
      null,
      student.email ?? student.handle,
      student.section,
      ...gradesOf(student),
    ],
  },
  // Moodle refuses the whole file for a line whose user it does not find.
  moodle: {
    head: (phases) => [['Email address', ...phases.map(titleOf)]],
    line: (student) => (student.email === null ? null : [student.email, ...gradesOf(student)]),
  },
}

/** A number is written as it is: only a text can be a formula. */
const toText = (value: Value) => (typeof value === 'string' ? toCell(value) : String(value ?? ''))

const toLines = (lines: readonly (readonly Value[])[]) =>
  Buffer.from(lines.map((cells) => `${cells.map(toText).join(',')}\r\n`).join(''))

async function* toCsv(
  phases: readonly PhaseRow[],
  parts: AsyncIterable<StudentGrades[]>,
  format: GradeFormat,
): AsyncGenerator<Buffer> {
  const { head, line } = layouts[format]
  yield toLines(head(phases))
  for await (const students of parts) {
    const lines = students.map(line)
    yield toLines(lines.filter((cells) => cells !== null))
  }
}
