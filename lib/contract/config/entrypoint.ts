import { z } from 'zod'
import { refusePath } from '../archives/archive-paths'

/** The files that a job with a directory runs if its config names none; the first that exists. */
export const defaultEntrypoints = ['solution.py', 'main.py', 'run.sh'] as const

const runners: Readonly<Record<string, readonly string[]>> = { py: ['python', '-u'], sh: ['/bin/sh'] }

/** The program that runs a file, by the extension of the file; null for another extension. */
export function runnerOf(path: string): readonly string[] | null {
  const extension = /\.([^./]+)$/.exec(path)?.[1] ?? ''
  return Object.hasOwn(runners, extension) ? (runners[extension] ?? null) : null
}

export const entrypoint = z.string().superRefine((path, context) => {
  const refuse = (message: string) => context.addIssue({ code: 'custom', message })
  const why = refusePath(path)
  if (why !== null) refuse(`${why}: write a path in the directory, such as src/train.py`)
  else if (runnerOf(path) === null)
    refuse('must be a .py or .sh file: to run another file, use the key command instead')
})
