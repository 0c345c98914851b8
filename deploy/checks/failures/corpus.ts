import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'
import { diagnose } from '@/lib/contract/diagnosis/diagnose'
import type { Diagnosis } from '@/lib/contract/diagnosis/diagnosis'
import type { Facts } from '@/lib/contract/diagnosis/facts'
import gpuPrinted from '@/lib/contract/diagnosis/gpu-outputs.json'

/** Failures of real programs with the right diagnosis. collect.mjs stores what the programs print. */

const failureSchema = z.object({
  id: z.string(),
  printed: z.string().optional(),
  report: z.array(z.string()).optional(),
  exit_code: z.int().default(1),
  end: z
    .object({
      status: z.enum(['failed', 'cancelled', 'pending']).default('failed'),
      reason: z.string(),
      detail: z.string().optional(),
    })
    .optional(),
  expect: z.object({
    cause: z.string(),
    place: z.string().nullable(),
    next: z.string(),
    error: z.string().optional(),
    rank: z.int().optional(),
  }),
})

const line = z.union([z.string(), z.object({ t: z.string(), text: z.string() })])
const outputsSchema = z.record(
  z.string(),
  z.array(
    z.object({
      rank: z.int(),
      exit_code: z.int(),
      reason: z.string(),
      ended_at: z.string(),
      lines: z.array(line),
    }),
  ),
)

const readText = (folder: string, file: string) => readFileSync(`${folder}/${file}`, 'utf8')

export interface KnownFailure {
  id: string
  facts: Facts
  expected: z.infer<typeof failureSchema>['expect']
}

/** Reads the failures of a folder. */
export function readFailures(folder: string): KnownFailure[] {
  const failures = z.array(failureSchema).parse(parse(readText(folder, 'failures.yaml')))
  const outputs = outputsSchema.parse(JSON.parse(readText(folder, 'outputs.json')))
  return failures.map((failure) => {
    const printed = gpuPrinted.find((one) => one.printed === failure.printed)?.lines ?? failure.report
    const reported = {
      rank: 0,
      exit_code: failure.exit_code,
      reason: 'exit_code',
      ended_at: '',
      lines: printed ?? [],
    }
    const ends = outputs[failure.id] ?? (printed === undefined ? [] : [reported])
    return { id: failure.id, facts: toFacts(failure, ends), expected: failure.expect }
  })
}

function toFacts({ end }: z.infer<typeof failureSchema>, ends: z.infer<typeof outputsSchema>[string]): Facts {
  const [first] = ends
  const reason = end?.reason ?? first?.reason ?? 'exit_code'
  const gpu = { gpu_id: 'a', index: 0, model: 'H200', simulated: false, memory_mib: 143_771, share: 1 }
  return {
    job: {
      status: end?.status ?? (reason === 'finished' ? 'completed' : 'failed'),
      reason,
      reason_text: end?.detail ?? null,
      exit_code: first?.exit_code ?? null,
      max_time: 3600,
      environment: 'python',
      resources: { got: ends.map(() => ({ gpus: [gpu], memory_mib: 1024 })) },
    },
    instances: ends.map(({ lines, ...one }) => ({
      ...one,
      node: `node-${one.rank}`,
      lines: lines.map((text) => (typeof text === 'string' ? { text, t: null } : text)),
    })),
    hasResult: false,
  }
}

/** What differs from the right diagnosis; empty: nothing. */
export function compare(found: Diagnosis | null, expected: KnownFailure['expected']): string[] {
  const { cause, place, next, error, rank } = expected
  const foundPlace = found?.place
    ? `${found.place.file}:${found.place.line} ${found.place.function ?? ''}`.trim()
    : 'null'
  const places = (place ?? 'null').split('|')
  return [
    ...(found?.cause === cause ? [] : [`cause ${found?.cause}, not ${cause}`]),
    ...(places.includes('any') || places.includes(foundPlace) ? [] : [`place ${foundPlace}, not ${place}`]),
    ...(found?.next_step.includes(next) ? [] : [`next step without "${next}": ${found?.next_step}`]),
    ...(error === undefined || found?.error?.includes(error) ? [] : [`error ${found?.error}, not ${error}`]),
    ...(rank === undefined || found?.rank === rank ? [] : [`rank ${found?.rank}, not ${rank}`]),
  ]
}

/** The failures whose diagnosis is wrong, with the differences. */
export function findWrong(failures: readonly KnownFailure[]): { id: string; differences: string[] }[] {
  return failures.flatMap(({ id, facts, expected }) => {
    const differences = compare(diagnose(facts), expected)
    return differences.length === 0 ? [] : [{ id, differences }]
  })
}
