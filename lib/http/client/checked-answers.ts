import * as z from 'zod'
import { submitResultSchema } from '../../contract/jobs'
import type { Operation } from '../../contract/operations/operation'
import { dryRunSchema, otherDryRunSchema } from '../../contract/submission/dry-run'
import type { AnswerReaders } from './build-client'

/** A feature that took the submission adds what it is. */
const submittedSchema = submitResultSchema.partial().required({ job_id: true, status: true }).loose()

const anyDryRunSchema = z.union([dryRunSchema, otherDryRunSchema])

/**
 * Checks each answer against its schema: the server may be another version of gpuq, or something else.
 * @param operations the groups of operations that are called. No other group has answers.
 */
export function checkedAnswers(
  operations: Readonly<Record<string, Readonly<Record<string, Operation>>>>,
): AnswerReaders {
  return {
    read: (group, name) => {
      const responses = Object.values(operations[group]?.[name]?.responses ?? {})
      const schema = responses.find((response) => response.schema)?.schema ?? z.never()
      return (body) => schema.parse(body)
    },
    readSubmitted: (body) => submittedSchema.parse(body),
    readDryRun: (body) => anyDryRunSchema.parse(body),
  }
}
