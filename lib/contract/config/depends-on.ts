import * as z from 'zod'

/** A job that gpuq does not know, by its number in Slurm. */
export const slurmJob = /^slurm:([1-9]\d{0,8})$/

/** How another job or group must end before a job may start: in success, in any way, or without success. */
export const conditions = ['ok', 'any', 'failed'] as const
export type Condition = (typeof conditions)[number]

/** The conditions, also in the words of Slurm. */
const words: Readonly<Record<string, Condition>> = {
  ok: 'ok',
  any: 'any',
  failed: 'failed',
  afterok: 'ok',
  afterany: 'any',
  afternotok: 'failed',
}

const withWord = new RegExp(`^(?:(${Object.keys(words).join('|')}):)?(.*)$`)

const maxJobs = 32

/** A job or a group that another one depends on. */
export interface Dependency {
  /** The id of a job or a group. */
  id: string
  when: Condition
}

/** The text of a dependency: `ID`, or `any:ID`. */
const format = (id: string, when: Condition) => (when === 'ok' ? id : `${when}:${id}`)

/** A text of the user in the form that is stored, as far as it has that form. */
function normalise(text: string): string {
  const plain = text.trim().toLowerCase()
  const [, word, id = ''] = withWord.exec(plain) ?? []
  const when = word === undefined ? undefined : words[word]
  return when === undefined ? plain : format(id, when)
}

function split(text: string): { id: string; when: Condition } {
  const [, word = 'ok', id = ''] = withWord.exec(text) ?? []
  return { id, when: words[word] ?? 'ok' }
}

const isReference = (text: string) => slurmJob.test(text) || z.uuid().safeParse(text).success

const reference = z
  .string()
  .refine(
    (text) => isReference(split(text).id),
    'must be the id of a job or a group, or slurm:1234 for a job that is only in Slurm; any: or failed: before it lets the job start after any end, or after a failure',
  )

const references = z
  .array(reference)
  .max(maxJobs, `must have at most ${maxJobs} jobs and groups`)
  .superRefine((texts, context) => {
    const known = new Map<string, string>()
    for (const [at, text] of texts.entries()) {
      const { id, when } = split(text)
      const other = known.get(id)
      if (other !== undefined && other !== when) {
        const message = `names ${id} a second time, with another condition (${other} and ${when}): write it once`
        context.addIssue({ code: 'custom', path: [at], message })
      }
      known.set(id, when)
    }
  })

const entry = z.union([
  z.string(),
  z.strictObject({
    id: z.string().describe('the id of a job or a group'),
    when: z.enum(conditions).default('ok').describe('how it must end'),
  }),
])

/**
 * The jobs and groups that must end before a job may start, as texts such as `ID` and `any:ID`: a list, or one text with commas or spaces
 * between them.
 */
export const dependsOn = z
  .union([z.array(entry), z.string()], {
    error:
      'must be a list of ids of jobs and groups, or one id; with a condition {id: ID, when: any} or any:ID, where the condition is ok, any or failed',
  })
  .transform((value) => {
    const entries = typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value
    return entries.map((one) => normalise(typeof one === 'string' ? one : `${one.when}:${one.id.trim()}`))
  })
  .pipe(references)

/** Splits what a job depends on into jobs and groups of gpuq and jobs of Slurm by their numbers, without repetitions. */
export function splitDependencies(dependsOn: readonly string[]): {
  others: Dependency[]
  slurmJobs: { id: number; when: Condition }[]
} {
  const all = [...new Set(dependsOn)]
    .map(split)
    .map((one) => ({ ...one, slurmId: slurmJob.exec(one.id)?.[1] }))
  return {
    others: all.flatMap(({ slurmId, ...one }) => (slurmId === undefined ? [one] : [])),
    slurmJobs: all.flatMap(({ slurmId, when }) =>
      slurmId === undefined ? [] : [{ id: Number(slurmId), when }],
    ),
  }
}
